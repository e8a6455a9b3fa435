import { sql } from 'kysely'
import { expect, it } from 'vitest'
import type { LaunchpadsConfig } from '#config'
import { createPresentEthUsd } from '#process/serve.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, insertRows, poolRow } from '#test/support/rows.ts'

const { kysely } = await useDatabase()
const [WETH, DOLLAR, POOL] = [addressOf(900), addressOf(901), addressOf(0x1001)]
const dollars = { name: 'dollar', adapter: 'quote-pool', startBlock: 1, contracts: { token: DOLLAR, pool: POOL } }
const provided = { get: () => Promise.reject(new Error('no provider answers')), last: () => null, ethUsd: () => '3000' }

it('is the price of the pool of a pegged currency as indexed, also after the list of launchpads has changed, else that of a provider', async () => {
  // A dollar of 6 decimals: 10^18 of its smallest units are 10^12 dollars.
  await insertRows(kysely, 'pool', [
    poolRow(0x1001, 901, { address: POOL, token: DOLLAR, quote_token: WETH, type: 'uniswap-v3', price: '0.0004e12' }),
  ])
  let launchpads: LaunchpadsConfig = { weth: WETH, launchpads: [dollars] }
  let changes = 0
  let read = () => {}
  const present = createPresentEthUsd({
    provided,
    db: kysely,
    launchpads: () => launchpads,
    onChanged: () => changes++,
    logger: silentLogger,
    schedule: given => {
      read = given
      return () => {}
    },
  })
  expect([present.ethUsd(), present.pooled()]).toEqual(['3000', null])
  await expect(present.get()).rejects.toThrow('no provider answers')
  launchpads = { ...launchpads, pegUsd: [{ token: DOLLAR, decimals: 6 }] }
  read()
  await eventually(() => present.ethUsd() === '2500')
  expect([present.pooled(), changes]).toEqual(['2500', 1])
  // It was 503 without a provider, though all values in USD came from the pool.
  expect(await present.get()).toMatchObject({ price: '2500', currency: 'USD', source: 'pool', stale: false })
  await sql`update pool set price = price * 2`.execute(kysely)
  read()
  await eventually(() => present.ethUsd() === '1250')
  launchpads = { ...launchpads, pegUsd: [] }
  read()
  await eventually(() => present.ethUsd() === '3000')
  expect(changes).toBe(3)
  await present.stop()
})
