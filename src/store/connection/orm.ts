import type { Logger as OrmLogger } from '@mikro-orm/core'
import { MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { connectionOptions } from './connectionOptions.ts'
import { prepareStatements } from './preparedStatements.ts'
import { setResultTypes } from './resultTypes.ts'

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
}

const IDLE_CONNECTION_MS = 60_000
const IDLE_IN_TRANSACTION_MS = 60_000
const KEEP_ALIVE_DELAY_MS = 10_000
/** Plans live as long as their connection, and one that was made for small tables must not stay, even if nothing runs `analyze`. */
const CONNECTION_LIFETIME_S = 60

/**
 * The ORM over a pool of connections. Nothing is connected before the first statement. `orm.close()` closes the pool.
 *
 * @param more for an ORM that does more than run statements: `MIGRATION_OPTIONS`, `ENTITIES`
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
      // As text, since the driver leaves out the number 0, and the role's or database's setting would apply.
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
