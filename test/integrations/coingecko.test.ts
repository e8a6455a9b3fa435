import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { type Gateway, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'

const WETH = addressOf(0xee)
const MAIN_POOL = addressOf(0xb0)
const OTHER_POOL = addressOf(0xb9)
const LAUNCHPADS = [{ name: 'wow', adapter: 'wow', startBlock: 0, contracts: {} }]

const times = (count: number, pool: Address) => Array<Address>(count).fill(pool)

let gateway: Gateway

/** A gateway with a trade in each block from 1, in the pool that is named. Counts how often trades are read. */
async function start(pools: readonly Address[]): Promise<() => number> {
  const trades = pools.map((pool, index) => {
    const blockNumber = index + 1
    return { ...tradeOf(TOKEN), id: `${blockNumber}-0`, pool, blockNumber: String(blockNumber), logIndex: 0 }
  })
  gateway = await startGateway({ stored: { trades }, config: { launchpads: { weth: WETH, launchpads: LAUNCHPADS } } })
  let reads = 0
  const read = gateway.reads.trades
  gateway.reads.trades = query => {
    reads++
    return read(query)
  }
  return () => reads
}

async function tradesOf(limit: number): Promise<readonly string[]> {
  const response = await gateway.get(`/coingecko/wow/historical_trades?ticker_id=${TOKEN}_${WETH}&limit=${limit}`)
  expect(response.status).toBe(200)
  const { buy, sell } = (await response.json()) as Record<'buy' | 'sell', readonly { readonly trade_id: string }[]>
  return [...buy, ...sell].map(({ trade_id }) => trade_id)
}

// The page of `limit` trades was of all pools, and those of other pools were taken out of it.
test('CoinGecko gets as many trades of the main pool as it asks for, when the newest are in another', async () => {
  await start([...times(4, MAIN_POOL), ...times(700, OTHER_POOL), MAIN_POOL, OTHER_POOL])
  expect(await tradesOf(3)).toEqual(['705-0', '4-0', '3-0'])
  expect(await tradesOf(10)).toEqual(['705-0', '4-0', '3-0', '2-0', '1-0'])
})

test('reads no further than it has to', async () => {
  const reads = await start(times(600, MAIN_POOL))
  expect(await tradesOf(100)).toHaveLength(100)
  expect(reads()).toBe(1)
})

test('looks for trades of the main pool among the newest 5,000 only', async () => {
  const reads = await start([MAIN_POOL, ...times(5_000, OTHER_POOL)])
  expect(await tradesOf(500)).toEqual([])
  expect(reads()).toBe(10)
})
