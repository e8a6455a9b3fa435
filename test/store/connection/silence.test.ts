import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { databaseFault } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'

/*
 * A firewall that forgets a connection answers nothing and closes nothing: statements on it waited for ever, and so did the end of the pool.
 */

const database = await useDatabase()
const proxy = await startPostgresProxy({ url: database.url })
afterAll(() => proxy.stop())

/** Longer than an answer takes on a machine with other work. */
const SHORT = { statementTimeoutMs: 1_000, lateAnswerMs: 1_000 }
const ping = sql<{ one: number }>`select 1 as one`

test('a statement that is never answered fails after the server’s own time-out, and the next one works', async () => {
  const db = openOrm(proxy.url, { ...SHORT, poolSize: 1 }).em.getKysely()
  await ping.execute(db)
  proxy.silenceAll()
  const failure = await ping.execute(db).catch((error: unknown) => error)
  expect(databaseFault(failure)).toBe('unavailable')
  expect(failure).toMatchObject({ code: 'ETIMEDOUT' })
  expect((await ping.execute(db)).rows).toEqual([{ one: 1 }])
})

test('one deadline finds out all connections of a pool that have rested since', async () => {
  const orm = openOrm(proxy.url, { ...SHORT, poolSize: 4 })
  const db = orm.em.getKysely<unknown>()
  const pids = async () =>
    (await Promise.all(Array.from({ length: 4 }, () => sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.execute(db))))
      .flatMap(({ rows }) => rows)
      .map(({ pid }) => pid)
  const before = new Set(await pids())
  expect(before.size).toBe(4)
  proxy.silenceAll()
  await expect(ping.execute(db)).rejects.toThrow('no answer from the database')
  for (const pid of await pids()) expect(before).not.toContain(pid)
})

test.each([true, false])(
  'a transaction that has lost its server mid-way is repeated and gets its locks (the server has heard: %s)',
  async hears => {
    await sql`create table if not exists counted as select 0 as value`.execute(database.kysely)
    await sql`update counted set value = 0`.execute(database.kysely)
    const url = new URL(proxy.url)
    url.searchParams.set('options', '-c idle_in_transaction_session_timeout=900ms')
    const transaction = createTransaction(openOrm(url.href, { ...SHORT, poolSize: 2 }))
    const count = () =>
      transaction(async db => {
        await sql`update counted set value = value + 1`.execute(db)
        await ping.execute(db)
      })
    let left = 1
    proxy.setMisfortune(({ sql: text }) => (text.includes('as one') && left-- > 0 ? { kind: 'silence', hears } : undefined))
    await expect(count()).rejects.toThrow('no answer from the database')
    await count()
    expect((await sql`select value from counted`.execute(database.kysely)).rows).toEqual([{ value: 1 }])
    proxy.setMisfortune(undefined)
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
  const db = openOrm(proxy.url, { statementTimeoutMs: 100, lateAnswerMs: 60_000, poolSize: 1 }).em.getKysely()
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`
  const before = await pid.execute(db)
  await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: '57014' })
  expect((await pid.execute(db)).rows).toEqual(before.rows)
})
