import type { Logger as OrmLogger } from '@mikro-orm/core'
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { prepareStatements } from './preparedStatements.ts'

export interface OrmLimits {
  /** The largest number of open connections. Default 10. */
  readonly poolSize?: number
  /** The connections' `application_name`. Default `tokenwire`. */
  readonly applicationName?: string
  /** How long to wait for a connection, new or from the pool. Default 5 s. */
  readonly connectTimeoutMs?: number
  /** `statement_timeout`. Default 30 s; `0`: none. */
  readonly statementTimeoutMs?: number
  /** `lock_timeout`. Default 10 s; `0`: none. */
  readonly lockTimeoutMs?: number
  /** Receives every new connection of the pool. */
  readonly onConnection?: (connection: RawConnection) => void
}

/** A connection as the driver has it. */
export interface RawConnection {
  on(event: 'notification', listener: (notification: { readonly channel: string; readonly payload?: string }) => void): void
  readonly connection: { readonly stream: { destroy(): void } }
}

interface Pool {
  readonly options: { readonly types: { setTypeParser(oid: number, parse: (text: string) => unknown): void } }
  on(event: 'connect', listener: (connection: RawConnection) => void): void
}

const IDLE_CONNECTION_MS = 60_000
const IDLE_IN_TRANSACTION_MS = 60_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** Plans live as long as their connection, and one that was made for small tables must not stay, even if nothing runs `analyze`. */
const CONNECTION_LIFETIME_S = 60
const BYTEA_OID = 17
const BIGINT_OID = 20

/**
 * The queries read a few pages each, mostly from memory: with PostgreSQL's default cost of a random page, that of a spinning disk, it would
 * scan whole tables instead. They take milliseconds, which JIT compilation would multiply.
 */
const PLANNER_SETTINGS = '-c random_page_cost=1.1 -c jit=off'

/**
 * The ORM over a pool of connections. Nothing is connected before the first statement.
 *
 * @param more for an ORM that does more than run statements: `MIGRATION_OPTIONS`, `ENTITIES`
 * @throws `TokenwireError` `config_invalid` when the text is no PostgreSQL URL
 */
export function createOrm(databaseUrl: string, logger: Logger, limits: OrmLimits = {}, more: Options = {}): MikroORM {
  const options = connectionOptions(databaseUrl)
  return new MikroORM({
    ...options,
    ...more,
    loggerFactory: () => toOrmLogger(logger),
    pool: { min: 0, max: limits.poolSize ?? 10, idleTimeoutMillis: IDLE_CONNECTION_MS },
    driverOptions: {
      ...options.driverOptions,
      application_name: limits.applicationName ?? 'tokenwire',
      connectionTimeoutMillis: limits.connectTimeoutMs ?? 5_000,
      // As text, since the driver leaves out the number 0, and the role's or database's setting would apply.
      statement_timeout: String(limits.statementTimeoutMs ?? 30_000),
      lock_timeout: String(limits.lockTimeoutMs ?? 10_000),
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      onPoolCreated: (pool: Parameters<typeof prepareStatements>[0] & Pool) => {
        prepareStatements(pool)
        setResultTypes(pool)
        if (limits.onConnection !== undefined) pool.on('connect', limits.onConnection)
      },
      maxLifetimeSeconds: CONNECTION_LIFETIME_S,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    },
  })
}

/**
 * The options of every ORM over a database. Without entities: the service's ORMs run statements of their own (`tableOf`), and discovering
 * the entities would take 16 to 40 ms of CPU per ORM in place of 1 to 7.
 *
 * @throws `TokenwireError` `config_invalid` when the text is no PostgreSQL URL; the message does not repeat it
 */
export function connectionOptions(databaseUrl: string) {
  return defineConfig({
    clientUrl: databaseUrl,
    // The driver reads the URL's parameters (sslmode, a socket's folder); the ORM would ignore them.
    driverOptions: { connectionString: toConnectionString(databaseUrl) },
    entities: [],
    discovery: { warnWhenNoEntities: false },
  })
}

/** Node's error for a wrong URL would contain the password. `sslmode` means what it means to psql; the URL's `options` override ours. */
function toConnectionString(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') || url.pathname.length < 2) {
    throw new TokenwireError('config_invalid', 'DATABASE_URL must look like postgres://user:password@host:5432/database')
  }
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true')
  url.searchParams.set('options', `${PLANNER_SETTINGS} ${url.searchParams.get('options') ?? ''}`.trimEnd())
  return url.href
}

/** Returns `bytea` as lower-case hex with `0x`, `bigint` as a number, since each of the schema is safe, and `numeric` as text. */
function setResultTypes({ options }: Pool): void {
  // PostgreSQL sends `\x` and the digits (bytea_output = hex, the default).
  options.types.setTypeParser(BYTEA_OID, text => `0x${text.slice(2)}`)
  options.types.setTypeParser(BIGINT_OID, Number)
}

/** Without the ORM's log of statements, which contains their values. What remains are messages about dropped connections. */
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
