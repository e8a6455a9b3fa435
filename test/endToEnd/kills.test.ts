import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched, transfer } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type PostgresProxy, startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { installSequenceWitness } from '#test/support/faults/sequenceWitness.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type ServiceFolder, serviceFolder } from '#test/support/service.ts'
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
let chain: TestChain
let folder: ServiceFolder
let proxy: PostgresProxy
let service: RestartedService
let alpha: Launched
let creator: Address
let alice: Address

const MAX_REORG_DEPTH = 16
const FOLLOWED_BLOCKS = 50
const PLACES: readonly Place[] = ['in a transaction', 'in a commit']
const hits: string[] = []

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 40_000 })
  ;[, creator, alice] = chain.accounts as unknown as [Address, Address, Address]
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  for (let block = 0; block < 40; block++) {
    await buy()
    await chain.mine(30)
  }
  await installSequenceWitness(database.kysely)
  folder = await serviceFolder(chain)
  proxy = await startPostgresProxy({ url: database.url, misfortune: killPoint.onRequest })
  service = new RestartedService(folder, alpha.token)
})

afterAll(async () => {
  await service?.end('SIGKILL')
  await proxy?.stop()
  await chain?.stop()
  await folder?.remove()
})

let sent = 0n
const buy = () => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.0001') + sent++ })
const give = () => transfer(chain, { from: alice, currency: alpha.token, to: creator, amount: 1_000n + sent++ })
const cursor = async () => (await readRecentBlocks(database.kysely, 1)).at(-1) ?? null
const start = () => service.start({ DATABASE_URL: proxy.url, MAX_REORG_DEPTH: String(MAX_REORG_DEPTH) })
const reorg = () => chain.reorg(random.integer(2, 6))

async function caughtUp(): Promise<void> {
  while ((await cursor())?.hash !== (await chain.client.getBlock({ blockTag: 'latest' })).hash) await pause(10)
}

async function trade(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await (random.chance(0.7) ? buy() : give())
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
