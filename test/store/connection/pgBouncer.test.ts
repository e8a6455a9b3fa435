import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { openReplica } from '#bus/replicaReads.ts'
import { monotonicMs } from '#clock'
import { holdSessionLock, LOCKS } from '#store/connection/sessionLock.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { rewind } from '#store/rewind.ts'
import { openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { startPgBouncer } from '#test/support/pgBouncer.ts'
import { spawnService } from '#test/support/service.ts'

/*
 * Behind PgBouncer in transaction mode the service started, and stalled with `prepared statement … already exists`; a gateway heard of no
 * commit. In session mode, as it comes out of the box, it refused the parameters of the connection's start, and the service said that no
 * PostgreSQL answers.
 */

const PGBOUNCER = findProgram({ names: ['pgbouncer'], aptPackage: 'pgbouncer' })

const stops: (() => Promise<void> | void)[] = []
const onStop = (stop: () => Promise<void> | void) => void stops.push(stop)
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

/** @returns the address of the database through PgBouncer */
async function through(databaseUrl: string, settings: readonly string[]): Promise<string> {
  const bouncer = await startPgBouncer(PGBOUNCER as string, databaseUrl, settings)
  onStop(bouncer.stop)
  return bouncer.url
}

/** Other clients leave four connections for the pooler to give: each waits for a lock until all of them do. */
async function leaveConnections({ kysely }: TestDatabase, url: string): Promise<void> {
  const others = openOrm(url, { poolSize: 4 }).em.getKysely()
  await kysely.connection().execute(async session => {
    await sql`select pg_advisory_lock(1)`.execute(session)
    const taken = Promise.all(Array.from({ length: 4 }, () => sql`select pg_advisory_xact_lock_shared(1)`.execute(others)))
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting.execute(kysely)).rows.length).toBe(4)
    await sql`select pg_advisory_unlock(1)`.execute(session)
    await taken
  })
}

const refusalOf = (setting: string) =>
  expect.stringMatching(new RegExp(`^${setting}: .*PgBouncer with pool_mode = transaction; set pool_mode = session`, 'm'))

describe.runIf(PGBOUNCER !== null)('PgBouncer', () => {
  test.each([
    ['transaction', []],
    ['transaction', ['server_round_robin = 1']],
    ['statement', []],
  ] as const)('in %s mode is refused by name %j', async (mode, settings) => {
    const database = await useDatabase({ migrated: false })
    const url = await through(database.url, [`pool_mode = ${mode}`, ...settings])
    await leaveConnections(database, url)
    const refused = { code: 'config_invalid', message: refusalOf('DATABASE_URL') }
    await expect(migrate(url, silentLogger)).rejects.toMatchObject(refused)
    await expect(rewind(url, 'start', silentLogger)).rejects.toMatchObject(refused)
    const opening = openReplica(url, { primary: database.kysely, logger: silentLogger, now: monotonicMs, onStop })
    await expect(opening).rejects.toMatchObject({ ...refused, message: refusalOf('DATABASE_READ_URL') })
  })

  test('in transaction mode ends a gateway with 1, by name', async () => {
    const database = await useDatabase()
    const url = await through(database.url, ['pool_mode = transaction'])
    const gateway = spawnService({ ROLE: 'gateway', PORT: '0', DATABASE_URL: url })
    expect([await gateway.exited, gateway.output()]).toEqual([1, refusalOf('DATABASE_URL')])
  })

  test('in session mode, as it comes, works with its settings, locks and prepared statements', async () => {
    const database = await useDatabase({ migrated: false })
    const url = await through(database.url, [])
    expect((await migrate(url, silentLogger)).length).toBeGreaterThan(0)
    const input = { url, key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger: silentLogger }
    const { lock } = await holdSessionLock(input)
    expect((await holdSessionLock(input)).lock).toBeNull()
    const db = openOrm(url, { poolSize: 1, statementTimeoutMs: 123_456 }).em.getKysely()
    for (let value = 1; value <= 3; value++) {
      const { rows } = await sql`select ${value}::integer as value, current_setting('statement_timeout') as limit,
        current_setting('jit') as jit`.execute(db)
      expect(rows).toEqual([{ value, limit: '123456ms', jit: 'off' }])
    }
    await lock?.release()
  })
})
