import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched, transfer } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { readRecentBlocks } from '#store/rows/cursor.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import type { Request } from '#test/support/faults/postgresMessages.ts'
import { type DatabaseMisfortune, type PostgresProxy, startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { installSequenceWitness, sequenceFaults } from '#test/support/faults/sequenceWitness.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type Service, serviceFolder, startService } from '#test/support/service.ts'

/*
 * The real service as a process, killed while it backfills, follows and swaps a reorg, inside a transaction and in the middle of its commit
 * (`faults.test.ts` kills it while it asks its provider). A reorg's commit loses its connection under a living service as well.
 * `FAULT_PROCESS_SEED=…` for other moments.
 */

const random = createRandom(Number(process.env['FAULT_PROCESS_SEED'] ?? 1))
const database = await useDatabase()
const fresh = await useDatabase()
let chain: TestChain
let folder: Awaited<ReturnType<typeof serviceFolder>>
let proxy: PostgresProxy
let service: Service
let feed: FeedClient | null = null
let alpha: Launched
let creator: Address
let alice: Address
/** What subscribers were told, in every life of the service. */
const told: { readonly token: Address; readonly sequence: number }[] = []

const MAX_REORG_DEPTH = 16
/** So many blocks before the head are followed. */
const FOLLOWED_BLOCKS = 50

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
  proxy = await startPostgresProxy({ url: database.url, misfortune: suffer })
})

afterAll(async () => {
  feed?.close()
  if (service?.process.exitCode === null) service.process.kill('SIGKILL')
  await proxy?.stop()
  await chain?.stop()
  await folder?.remove()
})

type Place = 'in a transaction' | 'in a commit'
type Doing = 'backfill' | 'follow' | 'swap'

/** What happens at one of the requests that fit; `fate`: to the request itself. */
interface Point {
  left: number
  fits(request: Request): boolean
  happen(): void
  readonly fate: DatabaseMisfortune | undefined
}
let point: Point | null = null
/** What the transaction is that is open, told by its statements: only the indexer opens any. */
let transaction: 'none' | 'commit' | 'swap' = 'none'
/** Whether it has written a block: one that only reads where the database stands commits nothing. */
let wrote = false
const hits: string[] = []

const reaches = (request: Request): DatabaseMisfortune | undefined => {
  if (point === null || !point.fits(request) || point.left-- > 0) return undefined
  const { happen, fate } = point
  point = null
  happen()
  return fate
}

function suffer(request: Request): DatabaseMisfortune | undefined {
  if (/^\s*select writer/.test(request.sql)) {
    transaction = 'commit'
    wrote = false
  }
  if (/^\s*insert into "block"/.test(request.sql)) wrote = true
  if (/^\s*delete from dropped_token/.test(request.sql)) transaction = 'swap'
  const fate = reaches(request)
  if (request.kind === 'commit' || request.kind === 'rollback') transaction = 'none'
  return fate
}

const FATES: readonly DatabaseMisfortune[] = [
  { kind: 'cut-before' },
  { kind: 'cut-inside' },
  { kind: 'cut-after' },
  { kind: 'late', afterMs: 50 },
]

function pointOf(doing: Doing, place: Place): Omit<Point, 'happen'> {
  const of = doing === 'swap' ? 'swap' : 'commit'
  switch (place) {
    case 'in a transaction':
      return {
        left: random.integer(0, 8),
        fits: request => request.kind === 'statement' && transaction === of,
        fate: random.chance(0.5) ? { kind: 'cut-before' } : undefined,
      }
    case 'in a commit':
      return {
        left: 0,
        fits: request => request.kind === 'commit' && transaction === of && wrote,
        fate: random.pick(FATES),
      }
  }
}

/** Kills the process, as a power cut of its own would, at such a point while it does that. */
async function killAt(doing: Doing, place: Place, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const died = once(service.process, 'close')
  const happen = () => {
    hits.push(`${doing}: ${place}`)
    service.process.kill('SIGKILL')
  }
  point = { ...pointOf(doing, place), happen }
  await meanwhile()
  await died
  for (const { sequence } of feed?.updates(alpha.token) ?? []) told.push({ token: alpha.token, sequence })
  feed?.close()
  feed = null
}

let bought = 0n
const buy = () => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.0001') + bought++ })
const give = () => transfer(chain, { from: alice, currency: alpha.token, to: creator, amount: 1_000n + bought++ })
const head = () => chain.client.getBlock({ blockTag: 'latest' })
const cursor = async () => (await readRecentBlocks(database.kysely, 1)).at(-1) ?? null
const tokenNow = async () => (await (await fetch(`${service.url}/api/tokens/${alpha.token}`)).json()) as Token

async function start(): Promise<void> {
  service = await startService({
    env: {
      RPC_URLS: chain.anvil.url,
      LAUNCHPADS_FILE: folder.launchpadsFile,
      DATABASE_URL: proxy.url,
      DATA_DIR: folder.folder,
      PORT: '0',
      CONFIRMATIONS: '0',
      MAX_REORG_DEPTH: String(MAX_REORG_DEPTH),
      RATE_LIMIT_PER_MINUTE: '0',
      COINGECKO_URL: 'http://127.0.0.1:9',
      COINBASE_URL: 'http://127.0.0.1:9',
    },
  })
  feed = await openFeed(service.url)
  feed.send({ type: 'subscribe', token: alpha.token })
}

async function caughtUp(): Promise<void> {
  while ((await cursor())?.hash !== (await head()).hash) await pause(10)
}

async function trade(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await (random.chance(0.7) ? buy() : give())
    await chain.mine()
    await pause(20)
  }
}

/** The blocks that take the place of the newest ones are empty. */
async function reorg(): Promise<void> {
  await chain.client.request({ method: 'anvil_reorg', params: [random.integer(2, 6), []] } as never)
}

/** Whoever watches has been told what REST answers. */
async function expectTold(): Promise<void> {
  const last = await tokenNow()
  await feed?.next(({ type, token }) => type === 'token.update' && (token as Token).sequence === last.sequence)
  expect(feed?.updates(alpha.token).at(-1)?.token).toEqual(last)
}

const PLACES: readonly Place[] = ['in a transaction', 'in a commit']

test('a service that is killed at any moment, or whose reorg may or may not have been committed, has what an undisturbed one has', async () => {
  for (const place of PLACES) {
    await start()
    const last = Number((await head()).number) - FOLLOWED_BLOCKS
    await killAt('backfill', place)
    expect((await cursor())?.number ?? 0).toBeLessThanOrEqual(last)
    // There has to be something left to backfill.
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
    await killAt('swap', place, reorg)
    await start()
    await caughtUp()
  }
  expect(hits).toEqual(['backfill', 'follow', 'swap'].flatMap(doing => PLACES.map(place => `${doing}: ${place}`)))

  const { pid } = service.process
  for (const fate of FATES) {
    await trade(6)
    await caughtUp()
    point = { ...pointOf('swap', 'in a commit'), fate, happen: () => hits.push(fate.kind) }
    await reorg()
    await caughtUp()
    // Nothing else changes the token: an update that is lost with the answer to the commit is not made up for by another.
    await expectTold()
  }
  expect(hits.slice(-FATES.length)).toEqual(FATES.map(({ kind }) => kind))
  expect([service.process.pid, service.process.exitCode]).toEqual([pid, null])

  for (const { sequence } of feed?.updates(alpha.token) ?? []) told.push({ token: alpha.token, sequence })
  const sequences = told.map(({ sequence }) => sequence)
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  expect(sequences.length).toBeGreaterThan(12)
  expect(await sequenceFaults(database.kysely, { told, violations: [] })).toEqual([])
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  expect(service.output()).not.toMatch(/"level":60/)
  expect(await service.stop()).toBe(0)
})
