import type { Logger as OrmLogger } from '@mikro-orm/core'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { connectionOptions } from './connectionOptions.ts'
import { prepareStatements } from './preparedStatements.ts'
import { setResultTypes } from './resultTypes.ts'

export interface OrmLimits {
  /** Most connections that are open at once. Default 10. */
  readonly poolSize?: number
  /** What the server shows of these connections. Default `tokenwire`. */
  readonly applicationName?: string
  /** How long to wait for a connection, a new one or one of the pool. Default 5 s. */
  readonly connectTimeoutMs?: number
  /** A statement that takes longer is cancelled. Default 30 s; `0`: never. */
  readonly statementTimeoutMs?: number
  /** A statement that waits longer for a lock fails. Default 10 s; `0`: never. */
  readonly lockTimeoutMs?: number
}

const IDLE_CONNECTION_MS = 60_000
const IDLE_IN_TRANSACTION_MS = 60_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** A plan that was made for small tables lives no longer, should nobody gather statistics: it is its connection's. */
const CONNECTION_LIFETIME_S = 60

/**
 * The ORM over a pool of connections. Nothing is connected before the first statement. `orm.close()` closes the pool.
 *
 * @param more what is to be done with it beside running statements: `MIGRATION_OPTIONS`, `ENTITIES`
 * @throws `TokenwireError` with code `config_invalid` when the text is no PostgreSQL URL
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
      // As text: the driver sends no zero, and what the role or the database is set to would hold.
      statement_timeout: String(limits.statementTimeoutMs ?? 30_000),
      lock_timeout: String(limits.lockTimeoutMs ?? 10_000),
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      onPoolCreated: (pool: Parameters<typeof prepareStatements>[0] & Parameters<typeof setResultTypes>[0]) => {
        prepareStatements(pool)
        setResultTypes(pool)
      },
      maxLifetimeSeconds: CONNECTION_LIFETIME_S,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    },
  })
}

/** The ORM logs statements with their values inlined: they are left out. What remains is what it says of dropped connections. */
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
