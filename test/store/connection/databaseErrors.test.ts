import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { TokenwireError } from '#errors'
import { databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
import type { OrmOptions } from '#store/connection/orm.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'

const database = await useDatabase()

/** The error of work on a connection pool of its own. */
async function failureOf(work: (orm: MikroORM) => Promise<unknown>, limits: OrmOptions = {}, url = database.url): Promise<unknown> {
  return work(openOrm(url, limits)).then(
    () => null,
    (error: unknown) => error,
  )
}

const withCode = (code: string) => Object.assign(new Error('said by the driver'), { code })

describe('the fault of an error', () => {
  test.each([
    ['08006', 'unavailable'],
    ['57P01', 'unavailable'],
    ['53300', 'unavailable'],
    ['25006', 'unavailable'],
    ['ECONNRESET', 'unavailable'],
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['26000', 'conflict'],
    ['55000', 'conflict'],
    ['54000', 'exhausted'],
    ['XX000', 'exhausted'],
    ['P0001', 'refused'],
    ['53100', 'exhausted'],
    ['53200', 'exhausted'],
    ['58030', 'exhausted'],
    ['28P01', 'refused'],
    ['CERT_HAS_EXPIRED', 'refused'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'refused'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'refused'],
    ['23505', 'defect'],
    ['42601', 'defect'],
    ['EPERM', 'defect'],
  ] as const)('is judged by its code: %s is %s', (code, fault) => {
    expect(databaseFault(withCode(code))).toBe(fault)
    expect(databaseFault(new Error('wrapped', { cause: withCode(code) }))).toBe(fault)
    expect(databaseFault(new AggregateError([withCode(code)]))).toBe(fault)
  })

  test('is a defect for what is no error of a database, however it is wrapped', () => {
    const loop: Error & { cause?: unknown } = new Error('in a circle')
    loop.cause = loop
    for (const odd of [null, undefined, 'text', 7, {}, { code: 5 }, loop]) expect(databaseFault(odd)).toBe('defect')
  })

  test('is a conflict for a statement that takes too long', async () => {
    const failure = await failureOf(orm => sql`select pg_sleep(60)`.execute(orm.em.getKysely()), { statementTimeoutMs: 20 })
    expect(databaseFault(failure)).toBe('conflict')
  })

  test('is a conflict for a lock that is not given, and for a deadlock', async () => {
    await sql`create table contended as select generate_series(1, 2) as id, 0 as value`.execute(database.kysely)
    const lock = (orm: MikroORM, first: number, second: number, between: () => Promise<unknown>) =>
      orm.em.fork().transactional(async em => {
        await sql`update contended set value = 1 where id = ${first}`.execute(em.getKysely())
        await between()
        await sql`update contended set value = 1 where id = ${second}`.execute(em.getKysely())
      })
    const waiting = await failureOf(orm => lock(orm, 1, 2, () => lock(orm, 1, 1, async () => undefined)), { lockTimeoutMs: 20 })
    expect(databaseFault(waiting)).toBe('conflict')
    expect(waiting).toMatchObject({ code: '55P03' })

    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const meet = (mine: 0 | 1) => () => {
      both[mine].resolve()
      return both[mine === 0 ? 1 : 0].promise
    }
    const failures = await Promise.all([failureOf(orm => lock(orm, 1, 2, meet(0))), failureOf(orm => lock(orm, 2, 1, meet(1)))])
    const [deadlock, ...others] = failures.filter(failure => failure !== null)
    expect(others).toEqual([])
    expect(deadlock).toMatchObject({ code: '40P01' })
    expect(databaseFault(deadlock)).toBe('conflict')
  })

  test('is refused for a wrong password, a missing database and a server without TLS', async () => {
    const ping = (orm: MikroORM) => sql`select 1`.execute(orm.em.getKysely())
    for (const change of [
      (url: URL) => (url.password = 'wrong'),
      (url: URL) => (url.pathname = '/missing'),
      (url: URL) => (url.search = '?sslmode=require'),
    ]) {
      const url = new URL(database.url)
      change(url)
      const failure = await failureOf(ping, {}, url.href)
      expect(databaseFault(failure)).toBe('refused')
      expect(toDatabaseError(failure)).toMatchObject({ code: 'database_unavailable', retryable: false })
    }
  })

  test('is unavailable when every connection is taken for too long', async () => {
    const failure = await failureOf(
      async orm => {
        const db = orm.em.getKysely<unknown>()
        await db.connection().execute(async () => sql`select 1`.execute(db))
      },
      { poolSize: 1, connectTimeoutMs: 20 },
    )
    expect(databaseFault(failure)).toBe('unavailable')
  })
})

describe('the error for callers', () => {
  test('keeps a defect and an error of ours as they are', () => {
    const defect = withCode('42601')
    const own = new TokenwireError('rpc_inconsistent', 'ours')
    expect(toDatabaseError(defect)).toBe(defect)
    expect(toDatabaseError(own)).toBe(own)
  })

  test('tells the fault and the code, and keeps the cause', () => {
    const cause = withCode('53100')
    expect(toDatabaseError(cause)).toMatchObject({
      code: 'database_unavailable',
      retryable: true,
      details: { fault: 'exhausted', reason: '53100' },
      cause,
    })
  })
})
