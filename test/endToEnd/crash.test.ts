import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, launch, readLaunched, transfer } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type MeteredRpc, startMeteredRpc } from '#test/support/meteredRpc.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'

/* The service is killed with SIGKILL during a backfill and started again. */

const killed = await useDatabase({ migrated: false })
const undisturbed = await useDatabase()
let chain: TestChain
let folder: ServiceFolder
let token: Address
let provider: MeteredRpc

const TRADED_BLOCKS = 100
/** With the empty blocks in between, the backfill takes several commits. */
const BLOCKS = 39 * TRADED_BLOCKS

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 8 * BLOCKS })
  folder = await serviceFolder(chain)
  provider = await startMeteredRpc(chain.anvil.url, 100)
  const [, creator, alice, bob] = chain.accounts as unknown as [Address, Address, Address, Address]
  const launched = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  token = launched.token
  await chain.mined(buyOnCurve(chain, { from: bob, curve: launched.curve, paidWei: parseEther('0.1') }))
  for (let block = 0; block < TRADED_BLOCKS; block += 1) {
    await buyOnCurve(chain, { from: alice, curve: launched.curve, paidWei: 10n ** 12n + BigInt(block) })
    await transfer(chain, { from: bob, currency: token, to: creator, amount: BigInt(block + 1) })
    await chain.mine(39, 7)
  }
})

afterAll(async () => {
  await provider?.close()
  await chain?.stop()
  await folder?.remove()
})

const start = () => folder.start({ RPC_URLS: provider.url, DATABASE_URL: killed.url })

async function sequenceOf(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/api/tokens/${token}`)
  return response.status === 404 ? 0 : ((await response.json()) as Token).sequence
}

async function indexedBlock(): Promise<number> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('block') is not null as exists`.execute(killed.kysely)
  return rows[0]?.exists === true ? ((await readRecentBlocks(killed.kysely, 1)).at(-1)?.number ?? 0) : 0
}

test('a backfill that is killed three times ends with the tables of an undisturbed one', async () => {
  const sequences: number[] = []
  const stoppedAt: number[] = []
  for (const killBlock of [600, 1_500, 3_000]) {
    const before = await indexedBlock()
    const service = await start()
    const died = once(service.process, 'close')
    // Kills it while it waits for a later range, after it has committed an earlier one.
    provider.onRange = async (_, to) => {
      if (to < killBlock) return
      while ((await indexedBlock()) === before) await pause(5)
      service.process.kill('SIGKILL')
    }
    await died
    provider.onRange = async () => {}
    stoppedAt.push(await indexedBlock())
  }
  const head = await chain.head()
  const service = await start()
  sequences.push(await sequenceOf(service))
  await service.indexed(head)
  sequences.push(await sequenceOf(service))
  expect(await service.stop()).toBe(0)

  expect(stoppedAt).toEqual(stoppedAt.toSorted((a, b) => a - b))
  expect(stoppedAt[0]).toBeGreaterThan(0)
  expect(stoppedAt.at(-1)).toBeLessThan(head)
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  await (await openChainIndex(chain, undisturbed)).indexRange(1)
  expect(await dumpTables(killed.kysely)).toEqual(await dumpTables(undisturbed.kysely))
})
