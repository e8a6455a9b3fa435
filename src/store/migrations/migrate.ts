import type { MikroORM } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { describeHolder, LOCK_SPACE, LOCKS, takeLock } from '#store/connection/advisoryLocks.ts'
import { databaseCause } from '#store/connection/databaseCause.ts'
import { databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { requireSessions } from '#store/connection/sessionPooling.ts'
import { MIGRATION_OPTIONS, MIGRATIONS } from './migrations.ts'

const OLDEST_SERVER = 15

/**
 * Migrates a database's schema to this version, under a lock, so that processes that start at the same time run each migration once.
 * Forward only.
 *
 * @returns the names of the migrations that were run; none when the schema was up to date
 * @throws `TokenwireError`: `database_unavailable` (retryable) when the server can't be reached, `config_invalid` when it refuses the user,
 *   password or database name or is older than PostgreSQL 15, `database_foreign` when the schema is newer than this code, `database_taken`
 *   (retryable) when it is older and another process indexes with it
 */
export async function migrate(databaseUrl: string, logger: Logger): Promise<readonly string[]> {
  // One connection holds the lock, one runs the migrations. No timeouts: an index on a large table takes minutes.
  const limits = { poolSize: 2, applicationName: 'tokenwire-migrate', statementTimeoutMs: 0, lockTimeoutMs: 0 }
  const orm = createOrm(databaseUrl, logger, limits, MIGRATION_OPTIONS)
  try {
    const db = orm.em.getKysely<unknown>()
    await checkServer(db, databaseUrl)
    await requireSessions(db, 'DATABASE_URL')
    return await db.connection().execute(async session => {
      await lock(session, logger)
      try {
        return await runPending(orm, session, logger)
      } finally {
        await unlock(session, LOCKS.migrate)
      }
    })
  } catch (error) {
    throw toDatabaseError(error)
  } finally {
    await orm.close(true)
  }
}

async function checkServer(db: Queryable, databaseUrl: string): Promise<void> {
  let version: number
  try {
    const { rows } = await sql<{ version: number }>`select current_setting('server_version_num')::integer as version`.execute(db)
    version = Math.trunc((rows[0]?.version ?? 0) / 10_000)
  } catch (error) {
    throw startError(error, databaseUrl)
  }
  if (version >= OLDEST_SERVER) return
  throw new TokenwireError(
    'config_invalid',
    `DATABASE_URL: the server is PostgreSQL ${version}; version ${OLDEST_SERVER} or newer is needed`,
  )
}

/** Why the first connection failed, as an error that names the setting to change, with host and database but without the password. */
function startError(error: unknown, databaseUrl: string): TokenwireError {
  const url = new URL(databaseUrl)
  const database = decodeURIComponent(url.pathname.slice(1))
  const cause = databaseCause(error)
  if (cause === null) return new TokenwireError('config_invalid', `DATABASE_URL: ${reason(error)}`, { cause: error })
  const isRefused = databaseFault(error) === 'refused'
  return new TokenwireError(
    isRefused ? 'config_invalid' : 'database_unavailable',
    `DATABASE_URL: at ${url.host}, database "${database}": ${cause.full}`,
    { retryable: !isRefused, cause: error },
  )
}

function reason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}

async function lock(session: Kysely<unknown>, logger: Logger): Promise<void> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(${sql.lit(LOCK_SPACE)}, ${sql.lit(LOCKS.migrate)}) as locked`.execute(session)
  if (rows[0]?.locked === true) return
  logger.info('waiting for another process to finish its migrations')
  await sql`select pg_advisory_lock(${sql.lit(LOCK_SPACE)}, ${sql.lit(LOCKS.migrate)})`.execute(session)
}

async function unlock(session: Queryable, key: number): Promise<void> {
  await sql`select pg_advisory_unlock(${sql.lit(LOCK_SPACE)}, ${sql.lit(key)})`.execute(session)
}

async function runPending(orm: MikroORM, session: Queryable, logger: Logger): Promise<readonly string[]> {
  const known = MIGRATIONS.map(migration => migration.name)
  const executed = (await orm.migrator.getExecuted()).map(row => row.name)
  const unknown = executed.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    throw new TokenwireError(
      'database_foreign',
      `The database has a newer schema than this version of Tokenwire (${unknown.join(', ')}); update Tokenwire`,
    )
  }
  const pending = known.filter(name => !executed.includes(name))
  if (pending.length === 0) return []
  const holder = await takeLock(session, LOCKS.writer)
  if (holder !== null) {
    throw new TokenwireError(
      'database_taken',
      `DATABASE_URL: another running Tokenwire indexes into this database and needs its schema as it is; stop it first (${describeHolder(holder)})`,
      { retryable: true },
    )
  }
  try {
    // Migrating large tables may take minutes. A new database takes a moment, and is not worth a line.
    if (executed.length > 0) logger.info({ migrations: pending }, 'migrating the database schema')
    const applied = (await orm.migrator.up()).map(migration => migration.name)
    logger.info({ migrations: applied }, 'database schema migrated')
    return applied
  } finally {
    await unlock(session, LOCKS.writer)
  }
}
