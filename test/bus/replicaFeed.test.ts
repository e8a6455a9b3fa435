import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createNotifyFeed } from '#bus/databaseFeed.ts'
import { createReplicaReads, openReplica } from '#bus/replicaReads.ts'
import { monotonicMs } from '#clock'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { startBalancer } from '#test/support/balancer.ts'
import { openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { startReplication } from '#test/support/replication.ts'
import { closeSites, type FeedSite, feedCases, openSite, startFeed } from './feedCases.ts'

/* A gateway that reads a streaming replica of the database that the indexer writes. */

const replication = await startReplication()
/** Two databases of the server, for two chains. */
const NAMES = ['cases', 'lost'] as const
const server = openOrm(replication.primaryUrl).em.getKysely<unknown>()
for (const name of NAMES) {
  await sql`create database ${sql.id(name)}`.execute(server)
  await migrate(at(replication.primaryUrl, name), silentLogger)
}

const [cases, lost] = NAMES.map(name => ({
  primary: databaseAt(at(replication.primaryUrl, name)),
  replica: databaseAt(at(replication.replicaUrl, name)),
})) as [Pair, Pair]

/** Never in these cases: the replica must not be given up because the machine is busy. */
const PATIENT = 600_000

feedCases("PostgreSQL's notifications, over a replica", cases.primary, async () => openFeed(cases, PATIENT).feed)

describe('a feed over a replica', () => {
  const { primary } = lost
  let site: FeedSite
  beforeAll(async () => {
    site = await openSite(primary)
    return closeSites
  })

  const started = async (patienceMs: number) => {
    const { reads, feed } = openFeed(lost, patienceMs)
    return { reads, feed, witness: await startFeed(feed, site) }
  }

  /** What the gateway's REST shows. */
  const shown = async (db: Parameters<typeof readSnapshots>[0]) =>
    (await readSnapshots(db, { chainId: site.chainId, addresses: [site.alpha] }))[0]

  test('passes a state on only when the replica shows it', async () => {
    const { reads, feed, witness } = await started(PATIENT)
    const before = witness.states.at(-1)
    await replication.pauseReplay()
    onTestFinished(() => replication.resumeReplay())
    await site.buy(site.alpha)
    // The announcement has come when its commit waits.
    while (feed.health().waitingMs === 0 || reads.health().behindMs === 0) await new Promise(setImmediate)
    expect(await shown(reads.db)).toEqual(before)
    expect(witness.states.at(-1)).toEqual(before)
    expect(feed.health().replica).toMatchObject({ inUse: true })
    await replication.resumeReplay()
    const stored = await site.stored(site.alpha)
    await witness.untilHeld(stored)
    expect(await shown(reads.db)).toEqual(stored)
    expect(reads.health()).toEqual({ inUse: true, behindMs: 0 })
  })

  // Each connection through a balancer leads to another server. The one that was asked had the commit, and REST answered from the other.
  test('shows what was passed on, though one of several servers behind the address is behind', async () => {
    const balancer = await startBalancer()
    balancer.servers.push(replication.primaryUrl, replication.replicaUrl)
    const { host } = new URL(balancer.url)
    const balanced = databaseAt(Object.assign(new URL(lost.replica.url), { host }).href)
    const { reads, feed } = openFeed({ primary, replica: balanced }, PATIENT)
    const witness = await startFeed(feed, site)
    const both = async () => new Set((await Promise.all(Array.from({ length: 8 }, () => serverOf(balanced.kysely)))).map(Boolean))
    while ((await both()).size < 2) await new Promise(setImmediate)
    await replication.pauseReplay()
    onTestFinished(() => replication.resumeReplay())
    await site.buy(site.alpha)
    const stored = await site.stored(site.alpha)
    const held = witness.untilHeld(stored).then(() => true)
    // The pool gives the connection that was used last, and so another one each time.
    while (!(await Promise.race([held, both().then(() => false)]))) await new Promise(setImmediate)
    for (const state of await Promise.all(Array.from({ length: 16 }, () => shown(reads.db)))) expect(state).toEqual(stored)
    expect(reads.health().inUse).toBe(true)
  })

  test('reads the primary after its patience, and the replica once that shows everything again', async () => {
    const { reads, witness } = await started(50)
    await replication.pauseReplay()
    await site.buy(site.alpha)
    const stored = await site.stored(site.alpha)
    await witness.untilHeld(stored)
    expect(await shown(reads.db)).toEqual(stored)
    expect(reads.health().inUse).toBe(false)
    await replication.resumeReplay()
    while (!reads.health().inUse) await new Promise(setImmediate)
    expect(await shown(reads.db)).toEqual(stored)
    witness.expectRising()
  })

  test('refuses a database that is no replica, by the name of the setting', async () => {
    const options = { primary: primary.kysely, logger: silentLogger, onStop }
    // A minute passes between two questions.
    let nowMs = 0
    const now = () => (nowMs += 60_000)
    const other = await useDatabase()
    await expect(openReplica(other.url, { ...options, now })).rejects.toThrow(
      'DATABASE_READ_URL: it is no replica of DATABASE_URL, or more than 5 s behind',
    )
    await expect(openReplica('postgresql://tokenwire@127.0.0.1:9/postgres', { ...options, now })).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(/^DATABASE_READ_URL: at .*: the database is not reachable: .* of DATABASE_READ_URL/) as unknown,
    })
    // The clock stands still, so that no request times out on a busy machine.
    const opened = await openReplica(lost.replica.url, { ...options, now: () => 0 })
    expect(await shown(opened.db)).toBeDefined()
  })

  // Answers were 503 whenever the replica replayed what a read was in the way of.
  test('reads on the primary what the replica cancels', async () => {
    const { reads } = openFeed(lost, PATIENT)
    await sql`alter system set max_standby_streaming_delay = 0`.execute(lost.replica.kysely)
    await sql`select pg_reload_conf()`.execute(lost.replica.kysely)
    const slow = sql<{ isStandby: boolean }>`select pg_is_in_recovery() as "isStandby" from (select count(*) from milestone) as counted,
      lateral (select pg_sleep(case when pg_is_in_recovery() then 600 else 0 end)) as waited`
    const answer = slow.execute(reads.db)
    const underWay = sql`select from pg_stat_activity where query like '%pg_sleep%' and wait_event = 'PgSleep'`
    while ((await underWay.execute(lost.replica.kysely)).rows.length === 0) await new Promise(setImmediate)
    await primary.kysely.connection().execute(async session => {
      await sql`begin`.execute(session)
      await sql`lock table milestone in access exclusive mode`.execute(session)
      await sql`commit`.execute(session)
    })
    expect((await answer).rows).toEqual([{ isStandby: false }])
  })

  // A gateway heard no commit there, and its health said that the network or a pooler is to blame.
  test.each([
    ['index', /takes no writes: .* point DATABASE_URL to the primary/],
    ['serve', /^DATABASE_URL: the server is a standby, which announces no commits; give its primary here/],
  ] as const)('refuses a replica as the database to %s', async (use, message) => {
    const { url, kysely } = lost.replica
    const refused = { code: 'database_unavailable', retryable: true, message: expect.stringMatching(message) as unknown }
    await expect(requireDatabase(kysely, { url, use, logger: silentLogger })).rejects.toMatchObject(refused)
  })

  test('reads the primary when the replica is gone', async () => {
    const { reads, witness } = await started(200)
    await replication.killReplica()
    while (reads.health().inUse) await new Promise(setImmediate)
    await site.buy(site.alpha)
    await witness.untilHeld(await site.stored(site.alpha))
    expect(await shown(reads.db)).toEqual(await site.stored(site.alpha))
  })
})

/** Whether the connection leads to the standby. */
async function serverOf(db: TestDatabase['kysely']): Promise<boolean> {
  const { rows } = await sql<{ isStandby: boolean }>`select pg_is_in_recovery() as "isStandby" from pg_sleep(0.02)`.execute(db)
  return rows[0]?.isStandby === true
}

interface Pair {
  readonly primary: TestDatabase
  readonly replica: TestDatabase
}

function databaseAt(url: string): TestDatabase {
  const orm = openOrm(url)
  const notCleared = async () => undefined
  return { url, orm, kysely: orm.em.getKysely<unknown>(), clear: notCleared }
}

function at(server: string, name: string) {
  return server.replace(/[^/]*$/, name)
}

function onStop(stop: () => Promise<void> | void) {
  return onTestFinished(async () => {
    await stop()
  })
}

function openFeed({ primary, replica }: Pair, patienceMs: number) {
  const reads = createReplicaReads({ replica: replica.kysely, primary: primary.kysely, logger: silentLogger, now: monotonicMs, patienceMs })
  onStop(() => reads.stop())
  const { db } = reads
  const options = { databaseUrl: primary.url, db, replica: reads, chainId: 31_337, logger: silentLogger, onReport: () => undefined }
  const feed = createNotifyFeed({ ...options, now: monotonicMs })
  onStop(() => feed.stop())
  return { reads, feed }
}
