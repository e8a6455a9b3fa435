import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { transfer } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { installSequenceWitness } from '#test/support/faults/sequenceWitness.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { serviceFolder } from '#test/support/service.ts'
import { FATES, KillPoint, type Place, type Work } from './killPoint.ts'
import { RestartedService } from './restartedService.ts'

/*
 * The service as a process. It is killed while it backfills, follows and replaces a reorg, inside a transaction and during its commit
 * (`faults.test.ts` kills it while it waits for its provider). A running service also loses the connection during a reorg's commit.
 * `FAULT_PROCESS_SEED` chooses other moments.
 */

const random = createRandom(Number(process.env['FAULT_PROCESS_SEED'] ?? 1))
const database = await useDatabase()
const fresh = await useDatabase()
const killPoint = new KillPoint(random)
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 40_000 })
const alpha = await launchToken(chain)
const proxy = await startPostgresProxy({ url: database.url, misfortune: killPoint.onRequest })
const service = new RestartedService(await serviceFolder(chain), alpha.token)

const MAX_REORG_DEPTH = 16
const FOLLOWED_BLOCKS = 50
const PLACES: readonly Place[] = ['in a transaction', 'in a commit']
const hits: string[] = []

for (let block = 0; block < 40; block++) {
  await alpha.queueBuy()
  await chain.mine(30)
}
await installSequenceWitness(database.kysely)

let given = 1_000n
const give = () => transfer(chain, { from: chain.account(2), currency: alpha.token, to: alpha.creator, amount: given++ })
const cursor = async () => (await readRecentBlocks(database.kysely, 1)).at(-1) ?? null
const start = () => service.start({ DATABASE_URL: proxy.url, MAX_REORG_DEPTH: String(MAX_REORG_DEPTH) })
const reorg = () => chain.reorg(random.integer(2, 6))

test('a service that is killed, or loses the connection, in transactions and commits ends with the tables of an undisturbed one', async () => {
  for (const place of PLACES) {
    await start()
    const last = (await chain.head()) - FOLLOWED_BLOCKS
    await killAt('backfill', place)
    expect((await cursor())?.number ?? 0).toBeLessThanOrEqual(last)
    // Blocks for the next backfill.
    await chain.mine(200)
  }
  await start()
  await caughtUp()

  for (const place of PLACES) {
    await killAt('follow', place, () => trade(4))
    await start()
    await caughtUp()
  }
  for (const place of PLACES) {
    await trade(6)
    await caughtUp()
    await killAt('reorg', place, reorg)
    await start()
    await caughtUp()
  }

  expect(hits).toEqual(['backfill', 'follow', 'reorg'].flatMap(work => PLACES.map(place => `${work}: ${place}`)))

  const { pid } = service.process.process
  for (const fate of FATES) {
    await trade(6)
    await caughtUp()
    killPoint.set('reorg', 'in a commit', () => hits.push(fate.kind), fate)
    await reorg()
    await caughtUp()
    // No other change of the token follows, so an update that is lost with the commit's answer stays lost.
    await service.expectDelivered()
  }
  expect(hits.slice(-FATES.length)).toEqual(FATES.map(({ kind }) => kind))
  expect([service.process.process.pid, service.process.process.exitCode]).toEqual([pid, null])

  await service.expectCommittedInOrder(database.kysely, { atLeast: 12 })
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  await service.expectCleanStop()
})

async function caughtUp(): Promise<void> {
  while ((await cursor())?.hash !== (await chain.client.getBlock({ blockTag: 'latest' })).hash) await pause(10)
}

async function trade(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await (random.chance(0.7) ? alpha.queueBuy() : give())
    await chain.mine()
    await pause(20)
  }
}

/** Kills the process with SIGKILL at that place of that work. */
async function killAt(work: Work, place: Place, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const killed = service.killed()
  killPoint.set(work, place, () => {
    hits.push(`${work}: ${place}`)
    service.process.process.kill('SIGKILL')
  })
  await meanwhile()
  await killed
}
