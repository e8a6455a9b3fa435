import type { Logger as OrmLogger } from '@mikro-orm/core'
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { monotonicMs } from '#clock'
import type { Hex } from '#domain/address.ts'
import { channelBindingOf, requireChannelBinding } from './channelBinding.ts'
import { renewConnections } from './connectionLifetime.ts'
import { toConnectionString } from './connectionString.ts'
import { leaveStandbys } from './leaveStandbys.ts'
import { prepareStatements } from './preparedStatements.ts'
import { type ConfiguredPool, configureSessions } from './sessionSettings.ts'
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

/** The parts of the driver's connection that are used. */
export interface RawConnection {
  on(event: 'notification', listener: (notification: { readonly channel: string; readonly payload?: string }) => void): void
  readonly connection: { readonly stream: { destroy(): void } }
}

interface Pool extends ConfiguredPool {
  readonly options: ConfiguredPool['options'] & {
    maxLifetimeSeconds?: number
    readonly types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }
  }
  on(event: 'connect', listener: (connection: RawConnection) => void): void
}

type DriverPool = Parameters<typeof prepareStatements>[0] &
  Parameters<typeof endSilentConnections>[0] &
  Parameters<typeof leaveStandbys>[0] &
  Parameters<typeof requireChannelBinding>[0] &
  Pool

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
function setResultTypes({ options }: Pool): void {
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
