import process from 'node:process'
import type { Logger } from 'pino'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import type { LoadedThread } from '#worker/loadThread.ts'
import { startIndexing } from '#worker/startIndexing.ts'
import type { ServiceOptions } from './service.ts'

const EXIT_TRY_AGAIN = 75
/** A stop that takes longer is cut off: the supervisor would only kill it. */
const STOP_TIMEOUT_MS = 20_000

/**
 * Reads the configuration, starts the service and stops it when it is asked to. Says what stands in the way.
 *
 * @returns the exit code of the process
 */
export async function run(loaded: LoadedThread): Promise<number> {
  try {
    return await serve(loaded)
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    process.stderr.write(`${error.message}\n`)
    return error.retryable ? EXIT_TRY_AGAIN : 1
  }
}

async function serve(loaded: LoadedThread): Promise<number> {
  const config = loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  const redactor = createRedactor(secretsOf(config))
  const logger = createLogger({ ...config.log, redactor, turns: loaded.turns })
  const onCrash = reportCrashes(logger)
  // Listened to from the beginning: a stop that is asked for during the start comes after it, and leaves nothing running.
  const requested = stopRequested(logger)
  const lost = Promise.withResolvers<number>()
  const onDatabaseLost = () => {
    logger.fatal('embedded PostgreSQL is gone and does not start again; see postgres.log in DATA_DIR')
    lost.resolve(EXIT_TRY_AGAIN)
  }
  const thread = startIndexing({ thread: loaded, config, onCrash })
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
