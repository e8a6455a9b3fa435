import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, launch, readLaunched, transfer } from '#devchain/actions.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type MeteredRpc, startMeteredRpc } from '#test/support/meteredRpc.ts'
import { type Service, serviceFolder, startService } from '#test/support/service.ts'

/* A service that is killed at any moment comes back to exactly what an undisturbed one has. */

const killed = await useDatabase({ migrated: false })
const undisturbed = await useDatabase()
let chain: TestChain
let folder: Awaited<ReturnType<typeof serviceFolder>>
let token: Address
let provider: MeteredRpc

const TRADED_BLOCKS = 100
/** With the silent blocks between them the chain is long enough for several commits of a backfill. */
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

const start = () =>
  startService({
    env: {
      RPC_URLS: provider.url,
      LAUNCHPADS_FILE: folder.launchpadsFile,
      DATABASE_URL: killed.url,
      DATA_DIR: folder.folder,
      PORT: '0',
      CONFIRMATIONS: '0',
      RATE_LIMIT_PER_MINUTE: '0',
    },
  })

async function sequenceOf(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/api/tokens/${token}`)
  return response.status === 404 ? 0 : ((await response.json()) as Token).sequence
}

async function indexedBlock(): Promise<number> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('block') is not null as exists`.execute(killed.kysely)
  return rows[0]?.exists === true ? ((await readRecentBlocks(killed.kysely, 1)).at(-1)?.number ?? 0) : 0
}

test('indexes on after every kill -9 in the middle of a backfill and ends with the tables of a service that was never killed', async () => {
  const sequences: number[] = []
  const stoppedAt: number[] = []
  for (const killBlock of [600, 1_500, 3_000]) {
    const before = await indexedBlock()
    const service = await start()
    const died = once(service.process, 'close')
    // Dies while it waits for a later range, once an earlier one of this life is committed.
    provider.onRange = async (_, to) => {
      if (to < killBlock) return
      while ((await indexedBlock()) === before) await pause(5)
      service.process.kill('SIGKILL')
    }
    await died
    provider.onRange = async () => {}
    stoppedAt.push(await indexedBlock())
  }
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
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
