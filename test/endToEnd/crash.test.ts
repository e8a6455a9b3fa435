import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { transfer } from '#devchain/actions.ts'
import type { Token } from '#resources/token.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { startMeteredRpc } from '#test/support/meteredRpc.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/* The service is killed with SIGKILL during a backfill and started again. */

const killed = await useDatabase({ migrated: false })
const undisturbed = await useDatabase()

const TRADED_BLOCKS = 100
/** With the empty blocks in between, the backfill takes several commits. */
const BLOCKS = 39 * TRADED_BLOCKS

const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 8 * BLOCKS })
const folder = await serviceFolder(chain)
const provider = await startMeteredRpc(chain.anvil.url, 100)
const alpha = await launchToken(chain)

beforeAll(async () => {
  const { token, creator } = alpha
  await alpha.buy()
  for (let block = 0; block < TRADED_BLOCKS; block += 1) {
    await alpha.queueBuy()
    await transfer(chain, { from: chain.account(2), currency: token, to: creator, amount: BigInt(block + 1) })
    await chain.mine(39, 7)
  }
})

const start = () => folder.start({ RPC_URLS: provider.url, DATABASE_URL: killed.url })

async function sequenceOf(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/api/tokens/${alpha.token}`)
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
