import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { databaseFault } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { StartDeadline } from '#store/connection/silence.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'

/*
 * A firewall that forgets a connection answers nothing and closes nothing: statements on it waited for ever, and so did the end of the pool.
 *
 * Deadlines expire when a test says so: on a busy machine no answer is late without a fault.
 */

const database = await useDatabase()
const proxy = await startPostgresProxy({ url: database.url })
afterAll(() => proxy.stop())

const running = new Set<{ readonly ms: number; readonly expire: () => void }>()
const startDeadline: StartDeadline = (ms, expire) => {
  const deadline = { ms, expire }
  running.add(deadline)
  return () => void running.delete(deadline)
}
const LIMITS = { statementTimeoutMs: 20_000, lateAnswerMs: 5_000, startDeadline }

/** Lets the deadlines of the statements under way expire: one in each connection in use. */
async function expire(): Promise<void> {
  while (running.size === 0) await new Promise(setImmediate)
  expect([...running].map(({ ms }) => ms)).toEqual([25_000])
  for (const deadline of running) deadline.expire()
}

const ping = sql<{ one: number }>`select 1 as one`

test('a statement that is never answered fails after the server’s own time-out, and the next one works', async () => {
  const db = openOrm(proxy.url, { ...LIMITS, poolSize: 1 }).em.getKysely()
  await ping.execute(db)
  proxy.silenceAll()
  const failing = ping.execute(db).catch((error: unknown) => error)
  await expire()
  const failure = await failing
  expect(databaseFault(failure)).toBe('unavailable')
  expect(failure).toMatchObject({ code: 'ETIMEDOUT' })
  expect((await ping.execute(db)).rows).toEqual([{ one: 1 }])
})

// Sent together, the last of many statements of seconds each would be late though the server works on them.
test('statements that are sent together have a deadline each, one after the other', async () => {
  const events: string[] = []
  const noted: StartDeadline = () => {
    events.push('begins')
    return () => void events.push('ends')
  }
  const transaction = createTransaction(openOrm(database.url, { ...LIMITS, startDeadline: noted, poolSize: 1 }))
  await transaction(async db => {
    events.length = 0
    await Promise.all([ping.execute(db), ping.execute(db), ping.execute(db)])
    expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends'])
  })
})

test('one deadline finds out all connections of a pool that have rested since', async () => {
  const orm = openOrm(proxy.url, { ...LIMITS, poolSize: 4 })
  const db = orm.em.getKysely<unknown>()
  const pids = async () =>
    (await Promise.all(Array.from({ length: 4 }, () => sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.execute(db))))
      .flatMap(({ rows }) => rows)
      .map(({ pid }) => pid)
  const before = new Set(await pids())
  expect(before.size).toBe(4)
  proxy.silenceAll()
  const failing = ping.execute(db).catch((error: unknown) => error)
  await expire()
  expect(await failing).toMatchObject({ message: 'no answer from the database for 25 s' })
  for (const pid of await pids()) expect(before).not.toContain(pid)
})

test.each([true, false])(
  'a transaction that has lost its server mid-way is repeated and gets its locks (the server has heard: %s)',
  async hears => {
    await sql`create table if not exists counted as select 0 as value`.execute(database.kysely)
    await sql`update counted set value = 0`.execute(database.kysely)
    const url = new URL(proxy.url)
    url.searchParams.set('options', '-c idle_in_transaction_session_timeout=4s')
    const transaction = createTransaction(openOrm(url.href, { ...LIMITS, poolSize: 2 }))
    const count = () =>
      transaction(async db => {
        await sql`update counted set value = value + 1`.execute(db)
        await ping.execute(db)
      })
    const lost = Promise.withResolvers<void>()
    proxy.setMisfortune(({ sql: text }) => {
      if (!text.includes('as one')) return undefined
      lost.resolve()
      return { kind: 'silence', hears }
    })
    const failing = count().catch((error: unknown) => error)
    await lost.promise
    proxy.setMisfortune(undefined)
    await expire()
    expect(await failing).toMatchObject({ message: 'no answer from the database for 25 s' })
    await count()
    expect((await sql`select value from counted`.execute(database.kysely)).rows).toEqual([{ value: 1 }])
  },
)

test('giving up ends statements under way at once', async () => {
  const giveUp = new AbortController()
  const orm = createOrm(proxy.url, silentLogger, { poolSize: 1, giveUp: giveUp.signal })
  await ping.execute(orm.em.getKysely())
  proxy.silenceAll()
  const failure = ping.execute(orm.em.getKysely()).catch((error: unknown) => error)
  giveUp.abort()
  expect(databaseFault(await failure)).toBe('unavailable')
  await orm.close(true)
})

test('a slow statement that the server answers in time is no silence', async () => {
  const db = openOrm(proxy.url, { statementTimeoutMs: 2_000, lateAnswerMs: 600_000, poolSize: 1 }).em.getKysely()
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`
  const before = await pid.execute(db)
  await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: '57014' })
  expect((await pid.execute(db)).rows).toEqual(before.rows)
})
