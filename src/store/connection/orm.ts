import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import process from 'node:process'
import type { Logger as OrmLogger } from '@mikro-orm/core'
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import type { Hex } from '#domain/address.ts'
import { givenOptions, removeSchemaParameter, schemaOf } from '#domain/databaseUrl.ts'
import { isPercentEncoded } from '#domain/text.ts'
import { TokenwireError } from '#errors'
import { causes, codeOf } from './databaseErrors.ts'
import { SERVED_SCHEMA } from './databaseSchema.ts'
import type { DriverClient, DriverPool, RawConnection } from './driver.ts'
import { prepareStatements } from './preparedStatements.ts'
import { endSilentConnections, type StartDeadline } from './silence.ts'

export interface OrmOptions {
  /** The largest number of open connections. Default 10. */
  readonly poolSize?: number
  /** The connections' `application_name`. Default `tokenwire`. */
  readonly applicationName?: string
  /** How long to wait for a connection, new or from the pool. Default 5 s. */
  readonly connectTimeoutMs?: number
  /** `statement_timeout`. Default 20 s; `0`: none. */
  readonly statementTimeoutMs?: number
  /** How long after the statement timeout an answer may still come before its connection counts as dead. Default 5 s. */
  readonly lateAnswerMs?: number
  /** The timer of deadlines. Default: real time. */
  readonly startDeadline?: StartDeadline
  /** `lock_timeout`. Default 10 s; `0`: none. */
  readonly lockTimeoutMs?: number
  /** Whether the URL is that of a standby. Default false: a connection to one is used only once (`leaveStandbys`). */
  readonly isStandbyWanted?: boolean
  /** Ends every connection, and with it the statements under way. */
  readonly giveUp?: AbortSignal | undefined
  /** Receives every new connection of the pool. */
  readonly onConnection?: (connection: RawConnection) => void
}

const IDLE_CONNECTION_MS = 60_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** No statement of the index takes as long. Health shows within half a minute that the database is silent. */
const STATEMENT_TIMEOUT_MS = 20_000
const LATE_ANSWER_MS = 5_000
const LOCK_TIMEOUT_MS = 10_000
const BYTEA_OID = 17
const BIGINT_OID = 20

/**
 * The ORM over a pool of connections. Nothing is connected before the first statement.
 *
 * @param more options of an ORM that does more than run statements: `MIGRATION_OPTIONS`, `ENTITIES`
 * @throws `TokenwireError` `config_invalid` when the text is no PostgreSQL URL
 */
export function createOrm(databaseUrl: string, logger: Logger, limits: OrmOptions = {}, more: Options = {}): MikroORM {
  forgetVariables()
  const options = connectionOptions(databaseUrl)
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = LOCK_TIMEOUT_MS, lateAnswerMs = LATE_ANSWER_MS } = limits
  const { giveUp, startDeadline } = limits
  return new MikroORM({
    ...options,
    ...more,
    loggerFactory: () => toOrmLogger(logger),
    pool: { min: 0, max: limits.poolSize ?? 10, idleTimeoutMillis: IDLE_CONNECTION_MS },
    driverOptions: {
      ...options.driverOptions,
      application_name: limits.applicationName ?? 'tokenwire',
      connectionTimeoutMillis: limits.connectTimeoutMs ?? 5_000,
      onPoolCreated: (pool: DriverPool) => {
        const deadlineMs = statementTimeoutMs === 0 ? null : statementTimeoutMs + lateAnswerMs
        if (channelBindingOf(databaseUrl) === 'require') requireChannelBinding(pool)
        endSilentConnections(pool, { deadlineMs, giveUp, startDeadline })
        prepareStatements(pool)
        renewConnections(pool, monotonicMs)
        configureSessions(pool, databaseUrl, { statementTimeoutMs, lockTimeoutMs })
        leaveStandbys(pool, { isStandbyWanted: limits.isStandbyWanted ?? false })
        setResultTypes(pool)
        if (limits.onConnection !== undefined) pool.on('connect', limits.onConnection)
      },
      // Statements of a transaction that do not wait for each other's answers share a round trip.
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    },
  })
}

/**
 * The options of every ORM over a database. It has no entities: the service writes its own statements (`tableOf`), and discovering
 * the entities would take 16 to 40 ms of CPU per ORM in place of 1 to 7.
 *
 * @throws `TokenwireError` `config_invalid` when the text is no PostgreSQL URL; the message does not repeat it
 */
export function connectionOptions(databaseUrl: string) {
  return defineConfig({
    clientUrl: databaseUrl,
    // The driver reads the URL's parameters (sslmode, a socket's folder); the ORM would ignore them.
    // Without a value here, the driver would take `PGSSLNEGOTIATION`, which is refused without TLS.
    driverOptions: {
      connectionString: toConnectionString(databaseUrl),
      sslnegotiation: 'postgres',
      enableChannelBinding: channelBindingOf(databaseUrl) !== 'disable',
    },
    entities: [],
    discovery: { warnWhenNoEntities: false },
  })
}

/** Deletes the `MIKRO_ORM_…` variables, which are meant for the ORM's command line: the ORM would take options from them. */
function forgetVariables(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('MIKRO_ORM_')) delete process.env[name]
}

/**
 * Has the driver return `bytea` as lower-case hex with `0x` and `bigint` as a number: every `bigint` of the schema is a safe integer.
 * `numeric` stays text.
 */
function setResultTypes({ options }: DriverPool): void {
  options.types.setTypeParser(BYTEA_OID, toHex)
  options.types.setTypeParser(BIGINT_OID, Number)
}

/** @throws `TypeError` when the text is not `\x` and hex digits, the format of `bytea_output = hex` that each session sets */
function toHex(text: string): Hex {
  if (!text.startsWith('\\x')) throw new TypeError('the database sent bytes that are not written in hex')
  return `0x${text.slice(2)}`
}

/** Logs the ORM's messages about dropped connections, and never its statements, which contain values. */
function toOrmLogger(logger: Logger): OrmLogger {
  return {
    log: (namespace, message) => logger.trace({ namespace }, message),
    warn: (namespace, message) => logger.warn({ namespace }, message),
    error: (namespace, message) => logger.error({ namespace }, message),
    logQuery: () => undefined,
    setDebugMode: () => undefined,
    isEnabled: () => false,
  }
}

const BOUND = 'SCRAM-SHA-256-PLUS'

/** The parameter `channel_binding` of a database's URL, which the driver does not read. Default `disable`. */
function channelBindingOf(databaseUrl: string): 'disable' | 'prefer' | 'require' {
  const asked = new URL(databaseUrl).searchParams.get('channel_binding')
  return asked === 'require' || asked === 'prefer' ? asked : 'disable'
}

/** Has a pool end each connection whose log-in is not bound to its TLS connection. */
function requireChannelBinding(pool: DriverPool): void {
  pool.Client = class extends pool.Client {
    constructor(options: unknown) {
      super(options)
      const { connection } = this
      let isBound = false
      connection.on('authenticationSASL', ({ mechanisms }) => {
        isBound = mechanisms.includes(BOUND)
        if (!isBound) connection.stream.destroy(unbound())
      })
      connection.on('authenticationOk', () => {
        if (!isBound) connection.stream.destroy(unbound())
      })
    }
  }
}

function unbound(): Error {
  const message =
    'channel_binding=require, and the server offers none: it needs TLS and a SCRAM password, and nothing that ends TLS in between'
  return Object.assign(new Error(message), { code: 'ERR_TLS_CHANNEL_BINDING' })
}

/** The shortest and the longest life of a connection, in seconds. */
export const MIN_LIFETIME = 60
export const MAX_LIFETIME = 600

/**
 * Has a pool renew its connections. A connection keeps its plans, and a plan for small tables is wrong once they have grown. So a
 * connection lives for as long as the pool had existed when it was opened: in that time an index that grows at an even rate doubles.
 * Requests on a new connection cost three to four times the usual processor time until their statements are planned.
 *
 * @param now monotonic milliseconds
 */
export function renewConnections({ options }: { readonly options: { maxLifetimeSeconds?: number } }, now: () => number): void {
  const openedMs = now()
  Object.defineProperty(options, 'maxLifetimeSeconds', {
    get: () => Math.min(MAX_LIFETIME, Math.max(MIN_LIFETIME, (now() - openedMs) / 1_000)),
  })
}

/** Parameters that name files, which the driver reads at every connection. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/** Values of `PGSSLMODE` that the driver treats as `verify-full`. */
const ENCRYPTED = new Set(['require', 'verify-ca', 'verify-full'])

/**
 * The address for the driver. `sslmode`, or else `PGSSLMODE`, means what it means to psql.
 *
 * @throws `TokenwireError` `config_invalid` with what is wrong. Neither the URL nor Node's own errors are repeated: they hold the password.
 */
export function toConnectionString(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') || url.pathname.length < 2) {
    throw invalid('must look like postgres://user:password@host:5432/database')
  }
  for (const [part, text] of [
    ['user name', url.username],
    ['password', url.password],
    ['database name', url.pathname],
  ] as const) {
    if (!isPercentEncoded(text))
      throw invalid(`the ${part} has a % that is not followed by two hex digits of UTF-8; write a percent sign as %25`)
  }
  for (const name of FILES) checkFile(name, url.searchParams.get(name))
  removeSchemaParameter(url)
  const { PGSSLMODE = '' } = process.env
  if (!url.searchParams.has('sslmode') && ENCRYPTED.has(PGSSLMODE)) url.searchParams.set('sslmode', PGSSLMODE)
  checkVerification(url)
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

/** Refuses `verify-full` of an IP address: the driver would check the certificate against `localhost`. */
function checkVerification({ hostname, searchParams }: URL): void {
  if (searchParams.get('sslmode') !== 'verify-full') return
  const host = searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) throw invalid(`sslmode=verify-full needs the name of the host that its certificate has, not the address ${host}`)
}

function checkFile(parameter: string, file: string | null): void {
  if (file === null) return
  try {
    readFileSync(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw invalid(`can not read the file of ${parameter}: ${file} (${code}); correct its path or its permissions`)
  }
}

function invalid(sentence: string): TokenwireError {
  return new TokenwireError('config_invalid', `DATABASE_URL: ${sentence}`)
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
function configureSessions(
  pool: DriverPool,
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

const READ_ONLY = '25006'

/** Fails with 25006, as a write does, where the server or the session takes no writes. */
export const REQUIRE_WRITES = sql`do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception using errcode = 'read_only_sql_transaction', message = 'its transactions are read-only';
  end if; end $$`

/**
 * Has a pool close a connection after its first use when the server behind it takes no writes: the next use opens another one, which may
 * lead to the primary. During a failover a host name leads to a standby for a while, and connections opened meanwhile would stay with it.
 * To be called after `configureSessions`.
 *
 * @param isStandbyWanted whether the address is a standby's, so that only sessions that have refused a write are closed
 */
function leaveStandbys(pool: DriverPool, { isStandbyWanted }: { readonly isStandbyWanted: boolean }): void {
  const left = new WeakSet<DriverClient>()
  pool.Client = class extends pool.Client {
    override query(...args: readonly unknown[]): unknown {
      const result = super.query(...args)
      if (result instanceof Promise) {
        result.catch((error: unknown) => {
          if (isReadOnly(error)) left.add(this)
        })
      }
      return result
    }
  }
  pool.on('release', (_, client) => {
    if (left.has(client)) void client.end()
  })
  const { onConnect } = pool.options
  if (isStandbyWanted) return
  pool.options.onConnect = async client => {
    await onConnect?.(client)
    const { rows } = (await client.query('select pg_is_in_recovery() as "isStandby"')) as { rows: readonly { isStandby: boolean }[] }
    if (rows[0]?.isStandby === true) left.add(client)
  }
}

function isReadOnly(error: unknown): boolean {
  return causes(error).some(link => codeOf(link) === READ_ONLY)
}
