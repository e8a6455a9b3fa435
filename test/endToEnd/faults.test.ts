import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import type { Token } from '#domain/token.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { type FakeProvider, type Misbehaviour, relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { installSequenceWitness, sequenceFaults } from '#test/support/faults/sequenceWitness.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type Service, serviceFolder, startService } from '#test/support/service.ts'

/*
 * The real service as a process with its embedded PostgreSQL, over real sockets to a provider that fails now and then. It is killed, its
 * database is killed under it, and the chain is reorganised meanwhile. `FAULT_PROCESS_SEED=…` for other moments.
 */

const random = createRandom(Number(process.env['FAULT_PROCESS_SEED'] ?? 1))
const fresh = await useDatabase()
let chain: TestChain
let folder: Awaited<ReturnType<typeof serviceFolder>>
let provider: FakeProvider
let service: Service
let feed: FeedClient | null = null
let alpha: Launched
let alice: Address
/** What subscribers were told, in every life of the service. */
const told: { readonly token: Address; readonly sequence: number }[] = []
let witnessedFrom = Number.POSITIVE_INFINITY

const FAULTS: readonly Misbehaviour[] = [
  { kind: 'reset' },
  { kind: 'cut-in-body' },
  { kind: 'half' },
  { kind: 'omit' },
  { kind: 'http', status: 502, body: '<html>bad gateway</html>' },
  { kind: 'http', status: 429, headers: { 'Retry-After': '0.2' } },
  { kind: 'error', code: -32_603, message: 'Internal error' },
  { kind: 'error', code: -32_000, message: 'header not found' },
]
/** Counts the questions, and has something happen at one of them. */
let armed: { left: number; happen(): void } | null = null
const misbehave = (): Misbehaviour | undefined => {
  if (armed !== null && armed.left-- <= 0) {
    const { happen } = armed
    armed = null
    happen()
  }
  // Per call, and a question for headers holds forty of them.
  return random.chance(0.02) ? random.pick(FAULTS) : undefined
}

beforeAll(async () => {
  chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 40_000 })
  const [, creator] = chain.accounts as unknown as [Address, Address]
  alice = chain.accounts[2] as Address
  alpha = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'Alpha', symbol: 'ALP' })))
  for (let block = 0; block < 40; block++) {
    await buy()
    await chain.mine(5)
  }
  folder = await serviceFolder(chain)
  provider = await startFakeProvider({ chain: relayTo(chain.anvil.url) })
})

afterAll(async () => {
  feed?.close()
  if (service?.process.exitCode === null) await service.stop()
  await provider?.stop()
  await chain?.stop()
  await folder?.remove()
})

let bought = 0n
const buy = () => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.0001') + bought++ })
const head = async () => Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
const tokenNow = async () => (await (await fetch(`${service.url}/api/tokens/${alpha.token}`)).json()) as Token
const postmasterFile = () => path.join(folder.folder, 'postgres', 'data', 'postmaster.pid')
const postmaster = async () => Number((await readFile(postmasterFile(), 'utf8')).split('\n')[0])

async function start(): Promise<void> {
  // What its first questions meet is another test's subject: a start that fails ends, and a supervisor begins anew.
  provider.setMisbehaviour(undefined)
  service = await startService({
    env: {
      RPC_URLS: random.chance(0.5) ? provider.url : provider.webSocketUrl,
      LAUNCHPADS_FILE: folder.launchpadsFile,
      DATA_DIR: folder.folder,
      PORT: '0',
      CONFIRMATIONS: '0',
      MAX_REORG_DEPTH: '16',
      RATE_LIMIT_PER_MINUTE: '0',
      COINGECKO_URL: 'http://127.0.0.1:9',
      COINBASE_URL: 'http://127.0.0.1:9',
    },
  })
  provider.setMisbehaviour(misbehave)
  feed = await openFeed(service.url)
  feed.send({ type: 'subscribe', token: alpha.token })
}

/** Ends the service as a power cut of its own would, after so many more questions to the provider. */
async function killAfter(questions: number, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const died = once(service.process, 'close')
  armed = { left: questions, happen: () => service.process.kill('SIGKILL') }
  await meanwhile()
  await died
  noteTold()
}

function noteTold(): void {
  for (const { sequence } of feed?.updates(alpha.token) ?? []) told.push({ token: alpha.token, sequence })
  feed?.close()
  feed = null
}

async function trade(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await chain.mined(buy())
    await pause(20)
  }
}

async function expectCaughtUp(): Promise<void> {
  // A lost push of a head is made up for by polling; the answer that counts is what is indexed in the end.
  await service.indexed(await head())
}

test('a service that is killed, whose database is killed, and whose chain is reorganised, has what an undisturbed one has', async () => {
  await start()
  await killAfter(random.integer(5, 25))
  await start()
  await expectCaughtUp()
  const orm = openOrm(service.databaseUrl, { poolSize: 2, connectTimeoutMs: 1_000 })
  const kysely = orm.em.getKysely<unknown>()
  await installSequenceWitness(kysely)
  witnessedFrom = (await tokenNow()).sequence

  // While it follows.
  await killAfter(random.integer(3, 30), () => trade(4))
  await start()
  await trade(2)
  await expectCaughtUp()

  // The database dies under the living service: at once, as in a crash, and by an orderly shutdown.
  for (const signal of ['SIGQUIT', 'SIGKILL', 'SIGINT'] as const) {
    const before = await postmaster()
    process.kill(before, signal)
    await trade(2)
    await expectCaughtUp()
    expect(await postmaster()).not.toBe(before)
  }
  expect(service.process.exitCode).toBeNull()

  // While it swaps a reorg.
  await killAfter(random.integer(1, 20), async () => {
    await chain.client.request({ method: 'anvil_reorg', params: [random.integer(2, 6), []] } as never)
    await trade(3)
  })
  await start()
  await trade(2)
  await expectCaughtUp()

  // All providers are dead for a while.
  provider.setMisbehaviour(() => ({ kind: 'reset' }))
  await trade(3)
  provider.setMisbehaviour(misbehave)
  await trade(1)
  await expectCaughtUp()

  const last = await tokenNow()
  await feed?.next(({ type, token }) => type === 'token.update' && (token as Token).sequence === last.sequence)
  expect(feed?.updates(alpha.token).at(-1)?.token).toEqual(last)
  noteTold()
  const sequences = told.map(({ sequence }) => sequence)
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  expect(sequences.length).toBeGreaterThan(8)
  const later = told.filter(({ sequence }) => sequence > witnessedFrom)
  expect(await sequenceFaults(kysely, { told: later, violations: [] })).toEqual([])
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(kysely)).toEqual(await dumpTables(fresh.kysely))
  expect(service.output()).not.toMatch(/"level":60/)
  expect(await service.stop()).toBe(0)
})
