import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { startTestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { type Misbehaviour, relayTo, startFakeProvider } from '#test/support/fakeProvider.ts'
import { installSequenceWitness } from '#test/support/faults/sequenceWitness.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { serviceFolder } from '#test/support/service.ts'
import { RestartedService } from './restartedService.ts'

/*
 * The service as a process with its embedded PostgreSQL and a provider that fails now and then. The service is killed, its database is
 * killed, and the chain has a reorg. `FAULT_PROCESS_SEED` chooses other moments.
 */

const random = createRandom(Number(process.env['FAULT_PROCESS_SEED'] ?? 1))
const fresh = await useDatabase()
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 40_000 })
const alpha = await launchToken(chain)
const folder = await serviceFolder(chain)
const provider = await startFakeProvider({ chain: relayTo(chain.anvil.url) })
const service = new RestartedService(folder, alpha.token)

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

for (let block = 0; block < 40; block++) {
  await alpha.queueBuy()
  await chain.mine(5)
}
// SIGTERM, because it also ends the embedded PostgreSQL.
afterAll(() => service.end('SIGTERM'))

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

async function caughtUp(): Promise<void> {
  await service.process.indexed(await chain.head())
}

async function postmaster(): Promise<number> {
  return Number((await readFile(path.join(folder.folder, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

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
    await alpha.buy()
    await pause(20)
  }
}
