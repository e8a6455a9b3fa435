import process from 'node:process'
import type { Logger } from 'pino'
import { allowSlowConnections } from '#async/allowSlowConnections.ts'
import { findIdleVariables } from '#configuration/findIdleVariables.ts'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createLogger, logWarnings } from '#telemetry/logger.ts'
import { errorOutput, openLogOutput } from '#telemetry/logOutput.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import type { LoadedThread } from '#worker/loadThread.ts'
import { startIndexing } from '#worker/startIndexing.ts'
import { environmentProxies } from './environmentProxies.ts'
import { reportCrashes } from './reportCrashes.ts'
import type { ServiceOptions } from './serviceOptions.ts'
import { type StopRequest, whenAborted } from './stopRequest.ts'

const EXIT_TRY_AGAIN = 75
/** A stop that takes longer ends the process. */
const STOP_TIMEOUT_MS = 20_000

/** Runs the service until it is asked to stop, and returns the exit code of the process. */
export async function run(loaded: LoadedThread | null, stopping: StopRequest): Promise<number> {
  try {
    return await runService(loaded, stopping)
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    errorOutput().write(`${error.message}\n`)
    return exitCodeOf(error)
  }
}

function exitCodeOf({ retryable }: TokenwireError): number {
  return retryable ? EXIT_TRY_AGAIN : 1
}

async function runService(loaded: LoadedThread | null, stopping: StopRequest): Promise<number> {
  allowSlowConnections()
  const config = loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  const redactor = createRedactor(secretsOf(config))
  const output = openLogOutput(1)
  if (loaded !== null) output.takeFrom(loaded.lines)
  const logger = createLogger({ level: config.logLevel, format: config.logFormat, redactor, output })
  logWarnings(logger)
  for (const sentence of findIdleVariables(process.env, { cwd: process.cwd() })) logger.warn(sentence)
  logProxies(logger)
  ignoreReplacement(logger)
  const onCrash = reportCrashes(logger)
  // The end of a terminal ends what was started on it.
  if (config.tls !== null || !process.stdin.isTTY) {
    stopping.ignoreHangup()
    process.on('SIGHUP', () => logger.info('SIGHUP: the files of settings that may change are read again'))
  }
  const { signal } = stopping
  const requested = whenAborted(signal).then(() => {
    logger.info({ reason: signal.reason as unknown }, 'stopping')
    limitStop(logger, 1)
    return 0
  })
  const failed = Promise.withResolvers<number>()
  const onFailure = (error: TokenwireError) => {
    logger.fatal(error.message)
    failed.resolve(exitCodeOf(error))
  }
  const isIndexing = loaded !== null && config.role !== 'gateway'
  if (!isIndexing) await loaded?.worker.terminate()
  const thread = isIndexing ? startIndexing({ thread: loaded, config, onCrash }) : null
  const stop = await start({ config, redactor, logger, thread, stopping: signal, onFailure, onCrash }).catch((error: unknown) => {
    if (!signal.aborted) throw error
    logger.debug({ err: error }, 'the start was interrupted')
    return () => Promise.resolve()
  })
  const exitCode = await Promise.race([requested, failed.promise])
  if (exitCode !== 0) limitStop(logger, exitCode)
  await stop()
  logger.info('stopped')
  return exitCode
}

function logProxies(logger: Logger): void {
  const found = environmentProxies(process.env, process.execArgv)
  if (found.use === 'used') logger.info({ proxies: found.proxies }, 'providers and prices are asked through the proxy of the environment')
  if (found.use === 'ignored')
    logger.warn(
      { proxies: found.proxies },
      'the proxy of the environment is not used; NODE_USE_ENV_PROXY=1 uses it for providers and prices (Node 22.21 or newer)',
    )
}

/** By default the signal ends a process, and it may come while there are no gateway processes, or none yet. */
function ignoreReplacement(logger: Logger): void {
  process.on('SIGUSR2', () => {
    if (process.listenerCount('SIGUSR2') === 1) logger.warn('SIGUSR2 is ignored: this process has no gateway processes to replace')
  })
}

function limitStop(logger: Logger, exitCode: number): void {
  setTimeout(() => {
    logger.fatal({ timeoutMs: STOP_TIMEOUT_MS }, 'stopping took too long')
    process.exit(exitCode)
  }, STOP_TIMEOUT_MS).unref()
}

async function start(options: ServiceOptions): Promise<() => Promise<void>> {
  const { redactor } = options
  const { startService } = await import('./service.ts')
  try {
    const service = await startService(options)
    // For a parent process: with PORT 0 only this process knows its address.
    process.send?.({ type: 'listening', url: service.url, databaseUrl: service.databaseUrl })
    return service.stop
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    throw new TokenwireError(error.code, redactor.text(error.message), { retryable: error.retryable })
  }
}
