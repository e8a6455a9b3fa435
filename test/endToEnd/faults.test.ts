import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { type FakeProvider, type Misbehaviour, relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { installSequenceWitness } from '#test/support/faults/sequenceWitness.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { type ServiceFolder, serviceFolder } from '#test/support/service.ts'
import { RestartedService } from './restartedService.ts'

/*
 * The service as a process with its embedded PostgreSQL and a provider that fails now and then. The service is killed, its database is
 * killed, and the chain has a reorg. `FAULT_PROCESS_SEED` chooses other moments.
 */

const random = createRandom(Number(process.env['FAULT_PROCESS_SEED'] ?? 1))
const fresh = await useDatabase()
let chain: TestChain
let folder: ServiceFolder
let provider: FakeProvider
let service: RestartedService
let alpha: Launched
let alice: Address

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

/** The number of calls to the provider until the service is killed. */
let callsUntilKill: number | null = null
function misbehave(): Misbehaviour | undefined {
  if (callsUntilKill !== null && callsUntilKill-- <= 0) {
    callsUntilKill = null
    service.process.process.kill('SIGKILL')
  }
  // Per call: a batch of headers has forty.
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
  service = new RestartedService(folder, alpha.token)
})

afterAll(async () => {
  // SIGTERM, because it also ends the embedded PostgreSQL.
  await service?.end('SIGTERM')
  await provider?.stop()
  await chain?.stop()
  await folder?.remove()
})

let bought = 0n
const buy = () => buyOnCurve(chain, { from: alice, curve: alpha.curve, paidWei: parseEther('0.0001') + bought++ })
const caughtUp = async () => service.process.indexed(await chain.head())
const postmaster = async () =>
  Number((await readFile(path.join(folder.folder, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])

async function start(): Promise<void> {
  // A start that fails ends the process, which another test covers.
  provider.setMisbehaviour(undefined)
  await service.start({ RPC_URLS: random.chance(0.5) ? provider.url : provider.webSocketUrl, MAX_REORG_DEPTH: '16' })
  provider.setMisbehaviour(misbehave)
}

/** Kills the process with SIGKILL after that many more calls to the provider. */
async function killAfter(calls: number, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const killed = service.killed()
  callsUntilKill = calls
  await meanwhile()
  await killed
}

async function trade(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    await chain.mined(buy())
    await pause(20)
  }
}

test('a service that is killed, whose database is killed and whose provider fails ends with the tables of an undisturbed one', async () => {
  await start()
  await killAfter(random.integer(5, 25))
  await start()
  await caughtUp()
  const orm = openOrm(service.process.databaseUrl, { poolSize: 2 })
  const kysely = orm.em.getKysely<unknown>()
  await installSequenceWitness(kysely)
  const witnessedFrom = (await service.tokenNow()).sequence

  // Killed while it follows.
  await killAfter(random.integer(3, 30), () => trade(4))
  await start()
  await trade(2)
  await caughtUp()

  // The database ends under the running service: crashed, killed, and shut down in order.
  for (const signal of ['SIGQUIT', 'SIGKILL', 'SIGINT'] as const) {
    const before = await postmaster()
    process.kill(before, signal)
    await trade(2)
    await caughtUp()
    expect(await postmaster()).not.toBe(before)
  }
  expect(service.process.process.exitCode).toBeNull()

  // Killed while it replaces a reorg.
  await killAfter(random.integer(1, 20), async () => {
    await chain.reorg(random.integer(2, 6))
    await trade(3)
  })
  await start()
  await trade(2)
  await caughtUp()

  // All providers are unreachable for three blocks.
  provider.setMisbehaviour(() => ({ kind: 'reset' }))
  await trade(3)
  provider.setMisbehaviour(misbehave)
  await trade(1)
  await caughtUp()

  await service.expectDelivered()
  await service.expectCommittedInOrder(kysely, { atLeast: 8, witnessedFrom })
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(kysely)).toEqual(await dumpTables(fresh.kysely))
  await service.expectCleanStop()
})
