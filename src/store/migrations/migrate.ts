import { setTimeout as delay } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import { schemaOf } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { causes, codeOf, toStartError } from '#store/connection/databaseErrors.ts'
import { type Queryable, readCurrentSchema } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { describeHolder, LOCKS, lockOf, takeLock } from '#store/connection/sessionLock.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { dropViews, readViewedSchema, renewViews } from '#store/views/installViews.ts'
import { type MigrationTraits, migrateUndone } from './goBack.ts'
import { MIGRATION_OPTIONS, MIGRATIONS, requireKnownSchema, signSchema } from './migrations.ts'

/** How long a migration waits for a table at a time: gateways' reads queue behind it meanwhile. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'
const PAUSE_MS = 1_000

/**
 * Migrates a database's schema to this version, under a lock, so that processes that start at the same time run each migration once.
 *
 * @returns the names of the migrations that were run; none when the schema was up to date
 * @throws `TokenwireError`: `database_unavailable` (retryable) when the server can't be reached, `config_invalid` when it refuses the user,
 *   password or database name or is older than PostgreSQL 15, `database_foreign` when the schema is newer than this code, `database_taken`
 *   (retryable) when it is older and another process indexes with it
 */
export async function migrate(databaseUrl: string, logger: Logger): Promise<readonly string[]> {
  // One connection holds the lock, one runs the migrations. Statements have no time limit: an index on a large table takes minutes.
  const limits = { poolSize: 2, applicationName: MIGRATING, statementTimeoutMs: 0, lockTimeoutMs: LOCK_TIMEOUT_MS }
  const orm = createOrm(databaseUrl, logger, limits, MIGRATION_OPTIONS)
  try {
    const applied = await migrateWith(orm, databaseUrl, logger)
    await orm.close(true)
    return applied
  } catch (error) {
    // Not awaited: a connection that is lost within the migrations' transaction never returns to its pool, which would wait for it.
    void orm.close(true)
    throw toStartError(error, { url: databaseUrl, setting: 'DATABASE_URL' })
  }
}

async function migrateWith(orm: MikroORM, url: string, logger: Logger): Promise<readonly string[]> {
  const db = orm.em.getKysely<unknown>()
  await createMissingSchema(db, schemaOf(url))
  await requireDatabase(db, { url, use: 'index', logger })
  // The migrator would keep its own table in `public`.
  orm.config.set('schema', await readCurrentSchema(db))
  return db.connection().execute(async session => {
    await lock(session, logger)
    try {
      return await runPending(orm, session, logger)
    } finally {
      await unlock(session, LOCKS.migrate)
    }
  })
}

/** Creates the schema that `SCHEMA` names, if the role may. If not, `requireDatabase` says which statement helps. */
async function createMissingSchema(db: Queryable, schema: string | null): Promise<void> {
  if (schema === null) return
  const { rows } = await sql<{ mayCreate: boolean }>`
    select has_database_privilege(current_database(), 'create') and not pg_is_in_recovery() and not exists (
      select from pg_namespace where nspname = ${schema}) as "mayCreate"`.execute(db)
  if (rows[0]?.mayCreate === true) await sql`create schema if not exists ${sql.id(schema)}`.execute(db)
}

async function lock(session: Kysely<unknown>, logger: Logger): Promise<void> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(${lockOf(LOCKS.migrate)}) as locked`.execute(session)
  if (rows[0]?.locked === true) return
  logger.info('waiting for another process to finish its migrations')
  await sql`set lock_timeout = 0`.execute(session)
  await sql`select pg_advisory_lock(${lockOf(LOCKS.migrate)})`.execute(session)
}

async function unlock(session: Queryable, key: number): Promise<void> {
  await sql`select pg_advisory_unlock(${lockOf(key)})`.execute(session)
}

async function runPending(orm: MikroORM, session: Queryable, logger: Logger): Promise<readonly string[]> {
  const known = MIGRATIONS.map(migration => migration.name)
  const executed = (await orm.migrator.getExecuted()).map(row => row.name)
  await requireKnownSchema(session, executed)
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
    const applied = await runBetweenViews(orm, session, pending, logger)
    await signSchema(session)
    logger.info({ migrations: applied }, 'database schema migrated')
    return applied
  } finally {
    await unlock(session, LOCKS.writer)
  }
}

/** Drops the views of this index before the migrations and creates them after: no migration can change a column that a view shows. */
async function runBetweenViews(orm: MikroORM, session: Queryable, pending: readonly string[], logger: Logger): Promise<readonly string[]> {
  if ((await readViewedSchema(session)) !== (await readCurrentSchema(session))) return runAll(orm, session, pending, logger)
  await dropViews(session)
  const applied = await runAll(orm, session, pending, logger)
  await createTransaction(orm)(renewViews)
  return applied
}

/** Runs all pending migrations in one transaction. Tries again as long as another session uses a table, as `pg_dump` does. */
async function runAll(orm: MikroORM, session: Queryable, pending: readonly string[], logger: Logger): Promise<readonly string[]> {
  const traits: readonly MigrationTraits[] = MIGRATIONS.filter(({ name }) => pending.includes(name))

  const stopWatching = watchMigrations(session, logger, monotonicMs)
  try {
    for (;;) {
      const outcome = await orm.em
        .getConnection()
        .transactional(transaction => migrateUndone(transaction, traits, () => orm.migrator.up({ transaction }), logger))
        .catch((error: unknown) => {
          if (causes(error).some(link => codeOf(link) === LOCK_NOT_AVAILABLE)) return null
          throw error
        })
      if (outcome !== null) return outcome.map(({ name }) => name)
      await delay(PAUSE_MS)
    }
  } finally {
    await stopWatching()
  }
}

/** The `application_name` of the sessions that migrate. */
const MIGRATING = 'tokenwire-migrate'

const LOOK_EVERY_MS = 1_000
/** The shortest time between two identical lines of the log. */
const REPEAT_MS = 10_000

/** What the session that migrates does at the moment. */
export interface MigrationActivity {
  /** The sessions whose locks it waits for, as `<application_name> (server process <pid>)`; `null`: none. */
  readonly blockers: string | null
  /** The table of an index that it builds; `null`: it builds none. */
  readonly table: string | null
  /** As `pg_stat_progress_create_index` names it. */
  readonly phase: string | null
  /** The share of the phase that is done; `null`: not known. */
  readonly percent: number | null
}

/** The log's line about an activity; `null`: it is not worth one. */
export function activityLine({ blockers, table, phase, percent }: MigrationActivity): string | null {
  if (blockers !== null) return `the migration waits for ${blockers}: let it finish or end it; reads go on meanwhile`
  if (table === null) return null
  return `the migration builds an index of ${table}: ${phase}${percent === null ? '' : `, ${percent} %`}`
}

/**
 * Logs what the migrations wait for, and how far they are with an index.
 *
 * @param session another session than the one that migrates
 * @returns stops the watching
 */
function watchMigrations(session: Queryable, logger: Logger, now: () => number): () => Promise<void> {
  let logged = { line: '', atMs: Number.NEGATIVE_INFINITY }
  let looking: Promise<void> = Promise.resolve()
  const look = async () => {
    const activity = await readActivity(session)
    const line = activity === null ? null : activityLine(activity)
    if (line === null || (line === logged.line && now() - logged.atMs < REPEAT_MS)) return
    logged = { line, atMs: now() }
    logger.info(line)
  }
  const timer = setInterval(() => {
    looking = look().catch((error: unknown) => logger.debug({ error }, 'the progress of the migrations is not known'))
  }, LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    return looking
  }
}

async function readActivity(session: Queryable): Promise<MigrationActivity | null> {
  const { rows } = await sql<MigrationActivity>`
    select (select string_agg(format('%s (server process %s)', coalesce(nullif(application_name, ''), 'a session'), pid), ', ')
        from pg_stat_activity where pid = any (pg_blocking_pids(migrating.pid))) as blockers,
      relid::regclass::text as "table", phase,
      coalesce(100 * tuples_done / nullif(tuples_total, 0), 100 * blocks_done / nullif(blocks_total, 0))::int as percent
    from pg_stat_activity as migrating left join pg_stat_progress_create_index using (pid)
    where application_name = ${MIGRATING} and migrating.datname = current_database() and pid <> pg_backend_pid()
      and state <> 'idle'`.execute(session)
  return rows[0] ?? null
}
