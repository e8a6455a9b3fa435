import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { NO_STATES } from '#bus/blockFeed.ts'
import { createNotifyFeed, dispatchChangedStates } from '#bus/databaseFeed.ts'
import { announceReports, encodeReport } from '#bus/indexerReport.ts'
import { monotonicMs } from '#clock'
import type { Address } from '#domain/address.ts'
import type { IndexerReport } from '#resources/health.ts'
import { channelOfSchema } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { announceCommit } from '#store/rows/announcement.ts'
import { openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { indexerReport } from '#test/support/indexerReport.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { closeSites, type FeedSite, FeedWitness, feedCases, openSite, startFeed } from './feedCases.ts'

const REPORT = indexerReport('0c2ab4a6-94ec-4f0d-9f0f-6d3c0a4d2f10')
const database = await useDatabase()
const other = await useDatabase()

feedCases("PostgreSQL's notifications", database, async () => openFeed(database.url, database))

describe('a feed by notifications that are lost or say little', () => {
  let site: FeedSite
  beforeAll(async () => {
    site = await openSite(other)
    return closeSites
  })
  const block = { number: 1, hash: '0xaa', timestamp: 1 } as const
  const transaction = createTransaction(other.orm)

  const commitUnannounced = () =>
    transaction(async tx => {
      await sql`update token set sequence = sequence + 1`.execute(tx)
      await sql`update chain_state set commits = commits + 1`.execute(tx)
    })

  /** Through a proxy, with a witness that has the newest state. */
  const started = async () => {
    const proxy = await startPostgresProxy({ url: other.url })
    onTestFinished(() => proxy.stop())
    const feed = openFeed(proxy.url, { kysely: openOrm(proxy.url, { connectTimeoutMs: 30_000 }).em.getKysely<unknown>() })
    return { proxy, feed, witness: await startFeed(feed, site) }
  }

  // A read under way still passed on the state of a token whose last subscriber had left.
  test('passes on no state of a token that is no longer watched once it is read', async () => {
    const watched = new Set([site.alpha])
    const witness = new FeedWitness()
    const newest = { ...block, commit: 1 }
    const commits = { newest, sinceMs: 0, changed: watched, dropped: new Set<Address>(), states: NO_STATES }
    const reading = { db: other.kysely, chainId: site.chainId, watched, consumer: witness, commits, isStopped: () => false }
    witness.changed(watched)
    const dispatched = dispatchChangedStates(reading, new Set([site.alpha]))
    watched.clear()
    await dispatched
    expect(witness.states).toEqual([])
  })

  test('has the newest state after its connections were cut, though nothing else is committed', async () => {
    const { proxy, witness } = await started()
    proxy.setServer('refusing')
    proxy.cutAll()
    await site.buy(site.alpha)
    proxy.setServer('up')
    const stored = await site.stored(site.alpha)
    await witness.untilHeld(stored)
    expect(witness.states.at(-1)).toEqual(stored)
    witness.expectRising()
  })

  test('says for how long its connection is lost', async () => {
    const proxy = await startPostgresProxy({ url: other.url })
    onTestFinished(() => proxy.stop())
    let nowMs = 0
    const feed = openFeed(proxy.url, other, undefined, () => nowMs)
    onTestFinished(() => feed.stop())
    const witness = new FeedWitness()
    feed.start(witness)
    await expect.poll(() => feed.health().connected).toBe(true)
    nowMs = 60_000
    // Found by the next beat.
    witness.forget()
    await sql`select pg_notify(${channelOfSchema('tokenwire_commit')}, 'nothing')`.execute(other.kysely)
    await witness.until(() => witness.hasChanged(site.alpha))
    expect(feed.health()).toMatchObject({ connected: true, disconnectedMs: 0 })
    proxy.setServer('refusing')
    proxy.cutAll()
    await expect.poll(() => feed.health().connected).toBe(false)
    nowMs = 67_000
    expect(feed.health().disconnectedMs).toBe(7_000)
    proxy.setServer('up')
    await expect.poll(() => feed.health().connected).toBe(true)
    expect(feed.health().disconnectedMs).toBe(0)
  })

  test('reads again when a read fails', async () => {
    const { proxy, witness } = await started()
    let failures = 0
    proxy.setMisfortune(({ sql: statement }) => {
      if (!statement.includes('from unnest') || failures === 3) return undefined
      failures++
      return { kind: 'error', sqlState: '57014', message: 'canceling statement', fatal: false }
    })
    await site.buy(site.alpha)
    await witness.untilHeld(await site.stored(site.alpha))
    expect(failures).toBe(3)
  })

  test('finds the changed token when a commit changes more than a notification can name', async () => {
    const { witness } = await started()
    const strangers = Array.from({ length: 500 }, () => `0x${randomBytes(20).toString('hex')}` as Address)
    await transaction(async tx => {
      await sql`update token set sequence = sequence + 1`.execute(tx)
      await announceCommit(tx, block, [...strangers, site.alpha])
    })
    await witness.untilHeld(await site.stored(site.alpha))
    expect(witness.states.at(-1)).toEqual(await site.stored(site.alpha))
  })

  test('finds a commit whose notification never came, though one of a later commit was forged', async () => {
    const { witness } = await started()
    const forged = JSON.stringify({ ...block, commit: 1_000_000, changed: [], dropped: [] })
    await sql`select pg_notify(${channelOfSchema('tokenwire_commit')}, ${forged})`.execute(other.kysely)
    // The first one may be found by the look that follows a new connection.
    for (let round = 0; round < 2; round++) {
      await commitUnannounced()
      await witness.untilHeld(await site.stored(site.alpha))
      expect(witness.states.at(-1)).toEqual(await site.stored(site.alpha))
    }
  })

  test('passes on that a watched token is gone, also when the notification was lost', async () => {
    const { proxy, feed, witness } = await started()
    const first = `0x${'dd'.repeat(20)}` as Address
    feed.watch(first)
    // One that the database has, as after a second reorg or by a forged notification, is not gone.
    await transaction(tx => announceCommit(tx, block, [], [site.alpha, site.beta, first]))
    await witness.until(() => witness.dropped.length > 0)
    expect(witness.dropped).toEqual([first])
    const gone = `0x${'ee'.repeat(20)}` as Address
    feed.watch(gone)
    witness.hold(gone, 5)
    proxy.cutAll()
    await witness.until(() => witness.dropped.length > 1)
    expect(witness.dropped).toEqual([first, gone])
  })

  test('ignores notifications that are none of an indexer', async () => {
    const { witness } = await started()
    for (const payload of ['nothing', '{}', JSON.stringify({ ...block, commit: null, changed: {}, dropped: 5 })])
      await sql`select pg_notify(${channelOfSchema('tokenwire_commit')}, ${payload}), pg_notify(${channelOfSchema('tokenwire_indexer')}, ${payload})`.execute(
        other.kysely,
      )
    await site.buy(site.alpha)
    const stored = await site.stored(site.alpha)
    await witness.untilHeld(stored)
    expect(witness.states.at(-1)).toEqual(stored)
  })

  test('receives the reports of an indexer, and none that lack something', async () => {
    const { promise, resolve } = Promise.withResolvers<IndexerReport>()
    const feed = openFeed(other.url, other, resolve)
    feed.start(new FeedWitness())
    onTestFinished(() => feed.stop())
    // A name that would be heard as a pattern of NATS subjects is none.
    const wrong = [
      { ...REPORT, state: { ...REPORT.state, rpc: null } },
      { ...REPORT, writer: '*' },
      { ...REPORT, writer: undefined },
    ]
    await expect.poll(() => feed.health().connected).toBe(true)
    for (const report of wrong)
      await sql`select pg_notify(${channelOfSchema('tokenwire_indexer')}, ${JSON.stringify(report)})`.execute(other.kysely)
    const { stop } = announceReports(other.kysely, () => REPORT)
    onTestFinished(stop)
    expect(await promise).toEqual(REPORT)
  })
})

// All databases of a server share one queue. It was full because of a session of another database, and every commit of ours failed.
test('commits go on while the queue of notifications is full, and the reason is said', async () => {
  const { url, reading, fill } = await smallQueue()
  const orm = openOrm(url)
  const pool = orm.em.getKysely<unknown>()
  await sql`create table chain_state as select 0::bigint as commits`.execute(pool)
  const commits = async () => (await sql<{ commits: number }>`select commits from chain_state`.execute(pool)).rows[0]?.commits
  const commit = () => createTransaction(orm)(tx => announceCommit(tx, { number: 1, hash: '0xaa', timestamp: 1 }, []))
  const reports = announceReports(pool, () => REPORT)
  onTestFinished(reports.stop)
  await fill(40)
  await expect.poll(reports.problems).toEqual([expect.stringMatching(/^the queue of notifications .* is \d\d % full/)])
  await expect(fill(40)).rejects.toThrow('too many notifications')
  await commit()
  await commit()
  expect(await commits()).toBe(2)
  await expect.poll(reports.problems).toEqual([expect.stringMatching(/which look for them themselves.*queue of notifications .* is full$/)])
  await reading()
  await expect.poll(reports.problems).toEqual([])
})

/** A server of its own whose queue has 64 pages, and a session of another database that holds it up until `reading`. */
async function smallQueue() {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => folder.remove())
  const options = { dataDir: folder.path, logger: silentLogger, durable: false }
  const first = await startEmbedded(options)
  await sql`alter system set max_notify_queue_pages = 64`.execute(openOrm(first.url, { poolSize: 1 }).em.getKysely())
  await first.stop()
  const server = await startEmbedded(options)
  onTestFinished(() => server.stop())
  const elsewhere = openOrm(server.url.replace('/tokenwire?', '/postgres?'), { poolSize: 1 }).em.getKysely<unknown>()
  for (const statement of ['listen other', 'begin']) await sql.raw(statement).execute(elsewhere)
  const filling = openOrm(server.url, { poolSize: 1 }).em.getKysely<unknown>()
  return {
    url: server.url,
    reading: () => sql`commit`.execute(elsewhere),
    fill: (pages: number) =>
      sql`select pg_notify('filling', n || repeat('x', 7000)) from generate_series(1, ${pages}::integer) n`.execute(filling),
  }
}

test('a report fits a notification, whatever providers say', () => {
  const long = { ...REPORT, state: { ...REPORT.state, reason: 'rpc-1 fails', details: Array.from({ length: 40 }, () => 'é'.repeat(500)) } }
  expect(JSON.parse(encodeReport(long))).toEqual({ ...long, state: { ...long.state, details: [] } })
  expect(Buffer.byteLength(encodeReport(long))).toBeLessThan(8_000)
  const problems = Array.from({ length: 200 }, (_, n) => `the webhook number-${n} is paused: it answers 503`)
  const many = { ...long, state: { ...long.state, problems } }
  expect(JSON.parse(encodeReport(many))).toEqual({
    ...many,
    state: { ...many.state, details: [], problems: [...problems.slice(0, 5), expect.stringMatching(/^195 more problems/)] },
  })
})

function openFeed(
  databaseUrl: string,
  { kysely }: Pick<TestDatabase, 'kysely'>,
  onReport: (report: IndexerReport) => void = () => undefined,
  now = monotonicMs,
) {
  return createNotifyFeed({ databaseUrl, db: kysely, chainId: 31_337, logger: silentLogger, now, onReport })
}
