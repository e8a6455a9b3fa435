import { givenOptions, schemaOf } from '#domain/databaseUrl.ts'
import { SERVED_SCHEMA } from './databaseSchema.ts'

export interface ConfiguredPool {
  readonly options: { onConnect?: (client: { query(text: string): Promise<unknown> }) => Promise<void> }
}

/**
 * Settings that statements and the reading of results rely on. They are set in the session, so that they override the server's, the
 * database's and the role's, and stay when the server reloads its configuration.
 */
const RELIED_ON: Readonly<Record<string, string>> = {
  // How values are written and read.
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  // A statement of a transaction sees what committed before the statement.
  default_transaction_isolation: 'read committed',
  // Answers are complete: no rows are left out silently.
  row_security: 'off',
  gin_fuzzy_search_limit: '0',
  transform_null_equals: 'off',
  // A pool keeps its connections, and a migration takes its time. Connections that died are noticed by the settings below.
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

/**
 * Settings that the database's URL may override:
 * - queries read a few pages each, mostly from memory: with the default cost of a random page, meant for spinning disks, PostgreSQL would
 *   scan whole tables. Queries take milliseconds, which JIT compilation or planning each time would multiply;
 * - rows are updated, which not every table access method can do;
 * - the server ends the transaction of a client that died in silence before the client's next attempt needs its locks;
 * - when a client's host is lost, the server ends its session within half a minute, which frees its locks.
 */
const PREFERRED: Readonly<Record<string, string>> = {
  random_page_cost: '1.1',
  jit: 'off',
  plan_cache_mode: 'auto',
  default_table_access_method: 'heap',
  idle_in_transaction_session_timeout: '20s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
}

/** An update that was emitted has to survive a crash of the server. Stricter values than `on` stay. */
const SYNCHRONOUS_COMMIT = `coalesce(nullif(current_setting('synchronous_commit', true), 'off'), 'on')`

/** SQL for the schema of pg_trgm: managed databases keep extensions in a schema that may not be in the `search_path`. */
const SCHEMA_OF_TRIGRAMS = `(select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm')`

/**
 * Configures each new connection by a statement: poolers such as PgBouncer refuse most parameters of a connection's start. Settings that
 * the server's version does not have are left out.
 */
export function configureSessions(
  pool: ConfiguredPool,
  databaseUrl: string,
  limits: { readonly statementTimeoutMs: number; readonly lockTimeoutMs: number },
): void {
  const given = givenOptions(databaseUrl)
  const isGiven = (name: string) => given.includes(`${name}=`)
  const schema = schemaOf(databaseUrl)
  const unnamed = isGiven('search_path') ? `nullif(current_setting('search_path', true), '')` : SERVED_SCHEMA
  const own = schema === null ? unnamed : `'${quoted(schema)}'`
  const preferred = Object.entries(PREFERRED).map(([name, value]) => [name, `'${value}'`] as const)
  const relied = Object.entries(RELIED_ON).map(([name, value]) => [name, `'${value}'`] as const)
  const settings = [
    ...[...preferred, ['synchronous_commit', SYNCHRONOUS_COMMIT] as const].filter(([name]) => !isGiven(name)),
    ...relied,
    ['lock_timeout', `'${limits.lockTimeoutMs}'`],
    ['search_path', `concat_ws(', ', ${own}, ${SCHEMA_OF_TRIGRAMS})`],
  ]
  const rows = settings.map(([name, value]) => `('${name}', ${value})`).join(', ')
  // This limit comes first, since the server's own may be too short for the second statement.
  const text = `set statement_timeout = ${limits.statementTimeoutMs};
    select set_config(name, value, false) from (values ${rows}) as wanted (name, value) where current_setting(name, true) is not null`
  pool.options.onConnect = async client => {
    await client.query(text)
  }
}

/** The name of a schema as an SQL identifier, escaped for a string literal. */
function quoted(schema: string): string {
  return `"${schema.replaceAll('"', '""').replaceAll("'", "''")}"`
}
