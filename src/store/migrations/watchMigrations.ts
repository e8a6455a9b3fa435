import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Queryable } from '#store/connection/queryable.ts'

/** The `application_name` of the sessions that migrate. */
export const MIGRATING = 'tokenwire-migrate'

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
export function watchMigrations(session: Queryable, logger: Logger, now: () => number): () => Promise<void> {
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
