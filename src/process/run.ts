import process from 'node:process'
import type { Logger } from 'pino'
import { allowSlowConnections } from '#async/connecting.ts'
import type { Config } from '#config'
import { findIdleVariables } from '#configuration/environment.ts'
import { loadConfig } from '#configuration/loadConfig.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createLogger, errorOutput, logWarnings, openLogOutput } from '#telemetry/logger.ts'
import { createRedactor, type Redactor, secretsOf } from '#telemetry/redactor.ts'
import type { LoadedThread } from '#worker/loadThread.ts'
import { type StartedThread, startIndexing } from '#worker/startIndexing.ts'
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

const NAMES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']

/** What the log says of proxies in the environment of the process, which Node uses or ignores for providers and prices. */
export type ProxyUse =
  | { readonly use: 'none' }
  /** Each variable with the host of its proxy. */
  | { readonly use: 'used' | 'ignored'; readonly proxies: Readonly<Record<string, string>> }

/** @param execArgv the options of Node */
function environmentProxies(env: Readonly<Record<string, string | undefined>>, execArgv: readonly string[]): ProxyUse {
  const proxies = NAMES.flatMap(name => {
    const text = env[name]?.trim()
    return text ? [[name, URL.parse(text)?.host || 'not a URL'] as const] : []
  })
  if (proxies.length === 0) return { use: 'none' }
  const isOn = env['NODE_USE_ENV_PROXY'] === '1' || [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(' ')].includes('--use-env-proxy')
  // Node before 22.21 does not know it.
  const isKnown = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')
  return { use: isOn && isKnown ? 'used' : 'ignored', proxies: Object.fromEntries(proxies) }
}

/**
 * Ends the process on an uncaught error of this thread: a defect must not leave half a service running. Returns the handler of
 * the indexing thread's errors.
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

export interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
  /** Aborts when a stop is requested, which interrupts a start. */
  readonly stopping: AbortSignal
  /** Called when the service can not go on. It is to be stopped then. */
  readonly onFailure: (error: TokenwireError) => void
  /** Called when a thread has ended by itself, with its error. It ends the process. */
  readonly onCrash: (error: unknown) => void
  /** The indexing thread. It has not opened the database yet. Closed by `stop`, and when the start fails. `null`: for a gateway. */
  readonly thread: StartedThread | null
}

/** What the start of a gateway, a standby or an indexer gets. */
export interface RoleOptions extends Omit<ServiceOptions, 'thread' | 'stopping'> {
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: Stop) => void
  /** Ends the connections to the database when a stop takes too long. */
  readonly giveUp: AbortSignal
}

export interface StartedRole {
  readonly url: string
  /** Contains the password. */
  readonly databaseUrl: string
}

export type Stop = () => Promise<void> | void
