import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { givenOptions, schemaOf } from '#domain/databaseUrl.ts'

/*
 * A database may hold several indexes, each in a schema of its own. `SCHEMA` names the one that a process works with. A process without it
 * works with the served one, which `npm run db:switch` has marked by a comment on one of its tables (decision 0062).
 */

/** The comment that marks the served index. It is transactional, reaches replicas and dumps, and every role can read it. */
export const SERVED_MARK = 'Tokenwire serves this index'

/** The table that has the mark. No other program's schema has a table of this name. */
export const MARKED_TABLE = 'block_undo'

/** Whether connections use whichever schema is served, so that a switch moves them. */
export function followsSwitches(databaseUrl: string): boolean {
  return schemaOf(databaseUrl) === null && !givenOptions(databaseUrl).includes('search_path=')
}

/** SQL for the schema of the served index, else of the index in `schema`, else of the oldest index; quoted where SQL needs it. */
const servedOr = (schema: string) => `coalesce(
  (select relnamespace::regnamespace::text from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = '${MARKED_TABLE}' and relkind = 'r'
    order by obj_description(pg_class.oid, 'pg_class') = '${SERVED_MARK}' desc nulls last, nspname = ${schema} desc nulls last,
      pg_class.oid limit 1),
  quote_ident(${schema}), 'public')`

/**
 * SQL for the schema of a process without `SCHEMA`: the served index, else the only one. Before there is one: the first schema of the
 * role's `search_path`, or `public` where that has none.
 */
export const SERVED_SCHEMA = servedOr('current_schema()')

/** SQL for the first schema of the `search_path` that the role has without `SCHEMA`. */
const FIRST_OF_ROLE = `(select nspname from pg_settings
  cross join unnest(string_to_array(reset_val, ',')) with ordinality as entry (name, number)
  join pg_namespace on nspname = coalesce(nullif(trim(both ' "' from entry.name), '$user'), current_user)
  where pg_settings.name = 'search_path' and has_schema_privilege(pg_namespace.oid, 'usage') order by entry.number limit 1)`

/** The schema that a process without `SCHEMA` uses now, as its bare name. */
export async function readServedSchema(db: Queryable): Promise<string> {
  const { rows } = await sql<{ schema: string }>`
    select (parse_ident(${sql.raw(SERVED_SCHEMA)}))[1] as schema`.execute(db)
  return String(rows[0]?.schema)
}

/** The schema that connections work with, as its bare name. */
export async function readCurrentSchema(db: Queryable): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select current_schema()::text as schema`.execute(db)
  return String(rows[0]?.schema)
}

/** Whether this connection's schema is the served one, whether or not `SCHEMA` names it. */
export async function isServedSchema(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ isServed: boolean }>`
    select (parse_ident(${sql.raw(servedOr(FIRST_OF_ROLE))}))[1] = current_schema() as "isServed"`.execute(db)
  return rows[0]?.isServed === true
}

/** Whether a schema has a table of that name. */
export async function hasTable(db: Queryable, schema: string, table: string): Promise<boolean> {
  const { rows } = await sql`select from pg_tables where schemaname = ${schema} and tablename = ${table}`.execute(db)
  return rows.length > 0
}

/** SQL for the schema in which this connection creates tables, quoted where SQL needs it. */
export const CURRENT_SCHEMA: RawBuilder<string> = sql`quote_ident(current_schema())`

/** SQL for the name of a notification channel that no other schema of the database shares. */
export function channelOfSchema(channel: string): RawBuilder<string> {
  return sql`${sql.lit(`${channel}_`)} || ${CURRENT_SCHEMA}::regnamespace::oid`
}

/**
 * Notifies whoever listens to the channel, in a transaction of its own, which is not worth waiting for the disk or a standby. All
 * databases of a server share one queue of notifications: a session of any of them that listens, and stays in a transaction, fills it.
 *
 * @returns how full the queue is, from 0 to 1
 * @throws the database's error: the queue is full, the role may not notify
 */
export async function notify(db: Queryable, channel: RawBuilder<string>, payload: string): Promise<number> {
  const { rows } = await sql<{ usage: number }>`
    select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload}), pg_notification_queue_usage() as usage`.execute(
    db,
  )
  return rows[0]?.usage ?? 0
}

/** What runs a statement: the ORM's pool (`em.getKysely()`), or one connection of it in a transaction. */
export type Queryable = QueryExecutorProvider
