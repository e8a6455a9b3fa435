import process from 'node:process'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import { readWriter } from '#store/rows/identity.ts'
import { startTestChain } from '#test/support/chain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { installSequenceWitness, sequenceFaults } from '#test/support/faults/sequenceWitness.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { startInstalledNats } from '#test/support/nats.ts'
import { startPgBouncer } from '#test/support/pgBouncer.ts'
import { startReplication } from '#test/support/replication.ts'
import { serviceFolder } from '#test/support/service.ts'
import { shiftedClock } from '#test/support/shiftedClock.ts'
import { cursorOf } from '#test/support/simulatedIndex.ts'
import { carrierFaults, mayReplaceIndexer, USUAL_FAULTS } from './carrierFaults.ts'
import { Cluster, hasEnded, until } from './cluster.ts'
import { MovingClient } from './movingClient.ts'

/*
 * An indexer, its standby and three gateways as processes: one hears of commits over NATS, one over PostgreSQL, one over NATS and reads a
 * replica. The latter two reach the primary through PgBouncer, with some seeds the writers as well. Clocks differ by up to 18 s. Parts are
 * killed or stopped, in an order from `CARRIER_SEED`; `CARRIER_ROUNDS` runs all faults that many times.
 */

const random = createRandom(Number(process.env['CARRIER_SEED'] ?? 1))
const ROUNDS = Number(process.env['CARRIER_ROUNDS'] ?? 0)
const { nats, byNats } = await startInstalledNats()
const replication = await startReplication()
const primary = openOrm(replication.primaryUrl, { poolSize: 2 }).em.getKysely<unknown>()

const PGBOUNCER = findProgram({ names: ['pgbouncer'], aptPackage: 'pgbouncer' })
const bouncer = PGBOUNCER === null ? null : await startPgBouncer(PGBOUNCER, replication.primaryUrl, ['default_pool_size = 60'])
const ARE_WRITERS_POOLED = bouncer !== null && random.unit() < 0.5

const writerUrl = ARE_WRITERS_POOLED ? bouncer.url : replication.primaryUrl
const writer = { ROLE: 'indexer', STANDBY: 'true', MAX_REORG_DEPTH: '16', ...byNats, DATABASE_URL: writerUrl }
const gatewayOf = { ROLE: 'gateway', RPC_URLS: '', LAUNCHPADS_FILE: '' }
const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
const alpha = await launchToken(chain)
const proxy = await startPostgresProxy({ url: bouncer?.url ?? replication.primaryUrl })
const cluster = new Cluster(await serviceFolder(chain), {
  writers: [
    { ...writer, ...shiftedClock(-7_000) },
    { ...writer, ...shiftedClock(11_000) },
  ],
  gateways: [
    { ...gatewayOf, ...byNats, DATABASE_URL: replication.primaryUrl, ...shiftedClock(11_000) },
    { ...gatewayOf, DATABASE_URL: proxy.url, ...shiftedClock(-7_000) },
    { ...gatewayOf, ...byNats, DATABASE_URL: proxy.url, DATABASE_READ_URL: replication.replicaUrl },
  ],
})
const clients = cluster.settings.gateways.map(() => new MovingClient(alpha.token))

test('clients of every gateway hold what the primary says after each fault, and its tables are those of a fresh index', async () => {
  await cluster.startWriter()
  await installSequenceWitness(primary)
  await cluster.startWriter()
  await cluster.startGateways()
  await Promise.all(clients.map((client, index) => client.connect(cluster.gateway(index).url)))
  // A reorg must not take the launch away.
  await trade(10)
  await converged()
  const from = (await tokenAt(0)).sequence
  const draw = random.integer
  const parts = { chain, cluster, clients, replication, primary, proxy, nats, bouncer, trade, indexedBlock, draw }
  const faults = Object.entries(carrierFaults(parts))
  const rounds = ROUNDS === 0 ? [faults.filter(([name]) => USUAL_FAULTS.has(name))] : Array.from({ length: ROUNDS }, () => faults)
  for (const round of rounds) {
    for (const [name, happens] of inRandomOrder(round)) {
      const indexer = await readWriter(primary)
      await happens()
      await converged().catch((error: unknown) => {
        throw new Error(`after "${name}"`, { cause: error })
      })
      if (!mayReplaceIndexer(name, ARE_WRITERS_POOLED)) expect([name, await readWriter(primary)]).toEqual([name, indexer])
    }
  }
  expect(cluster.gateways.filter(({ process: child }) => hasEnded(child)).map(({ output }) => output())).toEqual([])
  const told = clients
    .flatMap(client => client.updates())
    .map(({ sequence }) => ({ token: alpha.token, sequence }))
    .filter(({ sequence }) => sequence > from)
  expect(told.length).toBeGreaterThan(10)
  expect(await sequenceFaults(primary, { told, violations: [] })).toEqual([])
  const fresh = await useDatabase()
  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(primary)).toEqual(await dumpTables(fresh.kysely))
})

async function trade(blocks = 3): Promise<void> {
  for (let block = 0; block < blocks; block++) await alpha.buy()
}

async function indexedBlock(): Promise<number> {
  return (await cursorOf(primary).catch(() => null))?.number ?? -1
}

/** The chain's head is indexed, and the client of each gateway holds the newest state, which its gateway and the primary show. */
async function converged(): Promise<void> {
  const head = await chain.head()
  await until(`block ${head} is indexed`, async () => {
    await cluster.supervise()
    return (await indexedBlock()) >= head
  })
  const { rows } = await sql<{ sequence: number }>`select max(sequence)::float8 as sequence from token`.execute(primary)
  const newest = rows[0]?.sequence
  for (const [index, client] of clients.entries()) {
    await until(`client ${index} has ${newest}`, async () => client.updates().at(-1)?.sequence === newest)
    expect(client.updates().at(-1)?.token).toEqual(await tokenAt(index))
    const sequences = client.updates().map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
    await until(`gateway ${index} hears of commits and of its indexer`, async () => {
      const { feed, status } = await healthAt(index)
      return feed.connected && status !== 'stalled'
    })
  }
}

function healthAt(index: number): Promise<IndexerHealth> {
  return cluster.gateway(index).get('/api/indexer/health')
}

function tokenAt(index: number): Promise<Token> {
  return cluster.gateway(index).get(`/api/tokens/${alpha.token}`)
}

function inRandomOrder<T>(list: readonly T[]): readonly T[] {
  return list
    .map(item => ({ item, at: random.unit() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
