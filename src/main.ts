import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import type { Logger } from 'pino'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { startIndexing } from '#indexing/startIndexing.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createTurns } from '#telemetry/inTurns.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import type { ServiceOptions } from './service.ts'

/*
 * npm start. Exit codes: 0 it was asked to stop, 75 it could not start and may be started again as it is, 1 something has to be changed first.
 */

const EXIT_TRY_AGAIN = 75
/** A stop that takes longer is cut off: the supervisor would only kill it. */
const STOP_TIMEOUT_MS = 20_000

/**
 * Of both threads' heaps: twice what lived after the last collection, at most. V8's own factor is up to four where there is much memory, and a
 * backfill then holds 110 MiB more, for no less processor time (0016). No limit: a directory of millions of tokens still fits.
 */
const HEAP_GROWTH_PERCENT = 100

async function main(): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const config = loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  const redactor = createRedactor(secretsOf(config))
  const turns = createTurns()
  const logger = createLogger({ ...config.log, redactor, turns })
  const onCrash = reportCrashes(logger)
  // Listened to from the beginning: a stop that is asked for during the start comes after it, and leaves nothing running.
  const requested = stopRequested(logger)
  const lost = Promise.withResolvers<number>()
  const onDatabaseLost = () => {
    logger.fatal('embedded PostgreSQL is gone and does not start again; see postgres.log in DATA_DIR')
    lost.resolve(EXIT_TRY_AGAIN)
  }
  // It loads while this thread loads the service and opens the database.
  const thread = startIndexing({ config, turns, onCrash })
  const stop = await start({ config, redactor, logger, thread, onDatabaseLost })
  const exitCode = await Promise.race([requested.then(() => 0), lost.promise])
  setTimeout(() => {
    logger.fatal({ timeoutMs: STOP_TIMEOUT_MS }, 'stopping took too long')
    process.exit(exitCode === 0 ? 1 : exitCode)
  }, STOP_TIMEOUT_MS).unref()
  await stop()
  logger.info('stopped')
  return exitCode
}

async function start(options: ServiceOptions): Promise<() => Promise<void>> {
  const { redactor } = options
  const { startService } = await import('./service.ts')
  try {
    const service = await startService(options)
    // For whoever started this process with a channel: the address, which a port of 0 leaves open.
    process.send?.({ type: 'listening', url: service.url, databaseUrl: service.databaseUrl })
    return service.stop
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    throw new TokenwireError(error.code, redactor.text(error.message), { retryable: error.retryable })
  }
}

/** Resolves with the first signal to stop, or when the process that started this one with a channel has gone. */
function stopRequested(logger: Logger): Promise<void> {
  return new Promise(resolve => {
    const request = (reason: string) => {
      logger.info({ reason }, 'stopping')
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, request)
    if (process.send !== undefined) process.once('disconnect', () => request('parent gone'))
  })
}

/**
 * A defect must not leave half a service behind: it is logged without secrets, and the process ends for its supervisor to start it again.
 *
 * @returns the same for what no handler of the process hears of
 */
function reportCrashes(logger: Logger): (err: unknown) => void {
  const crash = (err: unknown) => {
    logger.fatal({ err }, 'crashed')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return crash
}

try {
  process.exit(await main())
} catch (error) {
  if (!(error instanceof TokenwireError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error.retryable ? EXIT_TRY_AGAIN : 1)
}
