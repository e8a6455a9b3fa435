import process from 'node:process'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor, type Redactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import { startService } from './startService.ts'

/*
 * npm start. Exit codes: 0 it was asked to stop, 75 it could not start and may be started again as it is, 1 something has to be changed first.
 */

const EXIT_TRY_AGAIN = 75
/** A stop that takes longer is cut off: the supervisor would only kill it. */
const STOP_TIMEOUT_MS = 20_000

async function main(): Promise<void> {
  const config = loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  const redactor = createRedactor(secretsOf(config))
  const logger = createLogger({ ...config.log, redactor })
  reportCrashes(logger)
  const stop = await start(config, redactor, logger)
  await stopRequested(logger)
  setTimeout(() => {
    logger.fatal({ timeoutMs: STOP_TIMEOUT_MS }, 'stopping took too long')
    process.exit(1)
  }, STOP_TIMEOUT_MS).unref()
  await stop()
  logger.info('stopped')
}

async function start(config: Config, redactor: Redactor, logger: Logger): Promise<() => Promise<void>> {
  try {
    const service = await startService({ config, redactor, logger })
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

/** A defect must not leave half a service behind: it is logged without secrets, and the process ends for its supervisor to start it again. */
function reportCrashes(logger: Logger): void {
  const crash = (err: unknown) => {
    logger.fatal({ err }, 'crashed')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

try {
  await main()
  process.exit(0)
} catch (error) {
  if (!(error instanceof TokenwireError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error.retryable ? EXIT_TRY_AGAIN : 1)
}
