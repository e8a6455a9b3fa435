import { type ChildProcess, fork } from 'node:child_process'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { TokenwireError } from '#errors'
import { findFreePort } from '#gateway/listening/server.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** A process that ran for this long did not fail at its start: the next one is started at once. */
const STEADY_AFTER_MS = 60_000
/** A process that takes longer to stop is killed: a stop of its own takes at most 20 s. */
const STOP_TIMEOUT_MS = 25_000

export interface GatewayProcessesOptions {
  readonly config: Pick<Config, 'gateways' | 'host' | 'port' | 'statusPort' | 'tls'>
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  readonly logger: Logger
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: () => Promise<void> | void) => void
}

interface Gateway {
  readonly name: string
  readonly process: ChildProcess
  readonly startedAtMs: number
  /** The URL at which it serves. Rejects when it ends before. */
  readonly listening: Promise<string>
  readonly exited: Promise<number | string>
}

/**
 * Starts `GATEWAYS` processes with `ROLE=gateway` that serve on one port, and starts one again that ends. SIGUSR2 replaces them one by one:
 * a process stops when its successor listens.
 *
 * @returns the URL at which they serve
 * @throws `TokenwireError` when a first one can't start; the others are stopped by then
 */
export async function startGatewayProcesses(options: GatewayProcessesOptions): Promise<string> {
  const { config, databaseUrl, logger, onStop } = options
  const stopped = new AbortController()
  const { signal } = stopped
  /** By index, the process that is started again when it ends. */
  const gateways = new Map<number, Gateway>()
  const running = new Set<Gateway>()
  const port = await findFreePort(config.host, config.port)

  const start = (index: number): Gateway => {
    const name = `gateway-${index}`
    const statusPort = config.statusPort === 0 ? 0 : config.statusPort + index
    const own = {
      ROLE: 'gateway',
      STANDBY: 'false',
      GATEWAYS: '0',
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      STATUS_PORT: String(statusPort),
    }
    const gateway = startProcess(name, { ...process.env, ...own, [GATEWAY_PROCESS]: name })
    gateways.set(index, gateway)
    running.add(gateway)
    void gateway.exited.then(() => running.delete(gateway))
    return gateway
  }

  /** Starts a process again whenever it ends by itself. */
  const keep = async (index: number, gateway: Gateway): Promise<void> => {
    const exit = await gateway.exited
    if (gateways.get(index) !== gateway || signal.aborted) return
    const ranMs = performance.now() - gateway.startedAtMs
    logger.error({ process: gateway.name, exit, ranMs: Math.round(ranMs) }, 'a gateway process has ended and is started again')
    await startAgain(index, gateway, ranMs >= STEADY_AFTER_MS ? 0 : FIRST_PAUSE_MS)
  }

  /** Leaves it to SIGUSR2 if that has put another process in the place of the one that ended. */
  const startAgain = async (index: number, ended: Gateway, pauseMs: number): Promise<void> => {
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted || gateways.get(index) !== ended) return
    const gateway = start(index)
    if (await listens(gateway)) return keep(index, gateway)
    const exit = await gateway.exited
    if (signal.aborted || gateways.get(index) !== gateway) return
    logger.error({ process: gateway.name, exit }, 'a gateway process does not start, trying again')
    return startAgain(index, gateway, Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2)))
  }

  const replace = async (index: number): Promise<void> => {
    const earlier = gateways.get(index)
    const gateway = start(index)
    if (await listens(gateway)) {
      void keep(index, gateway)
      if (earlier !== undefined) await stop(earlier)
      logger.info({ process: gateway.name }, 'a gateway process was replaced')
      return
    }
    logger.error({ process: gateway.name }, 'the new gateway process does not start, the old one stays')
    if (earlier !== undefined && running.has(earlier)) gateways.set(index, earlier)
    else void startAgain(index, gateway, FIRST_PAUSE_MS)
  }

  let replacing = Promise.resolve()
  const replaceAll = () => {
    replacing = replacing.then(async () => {
      for (let index = 1; index <= config.gateways && !signal.aborted; index++) await replace(index)
    })
  }

  /** An operator sends it to this process alone. */
  const renewCertificates = () => {
    for (const gateway of running) gateway.process.kill('SIGHUP')
  }
  onStop(async () => {
    stopped.abort()
    process.off('SIGUSR2', replaceAll)
    process.off('SIGHUP', renewCertificates)
    await Promise.all([...running].map(stop))
  })
  process.on('SIGUSR2', replaceAll)
  if (config.tls !== null) process.on('SIGHUP', renewCertificates)

  for (let index = 1; index <= config.gateways; index++) start(index)
  const urls = await Promise.all([...gateways.values()].map(({ listening }) => listening))
  for (const [index, gateway] of gateways) void keep(index, gateway)
  return urls[0] ?? ''
}

function listens({ listening }: Gateway): Promise<boolean> {
  return listening.then(
    () => true,
    () => false,
  )
}

function startProcess(name: string, env: NodeJS.ProcessEnv): Gateway {
  const [, script = '', ...args] = process.argv
  const child = fork(script, args, { env, stdio: 'inherit' })
  const exited = new Promise<number | string>(resolve => child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')))
  const listening = Promise.withResolvers<string>()
  child.once('message', (message: { readonly url: string }) => listening.resolve(message.url))
  void exited.then(exit => {
    const sentence = `GATEWAYS: ${name} has ended with ${exit} before it listened; the log says why`
    listening.reject(new TokenwireError('config_invalid', sentence, { retryable: exit === 75 }))
  })
  // It is awaited later, or not at all.
  listening.promise.catch(() => undefined)
  return { name, process: child, startedAtMs: performance.now(), listening: listening.promise, exited }
}

async function stop({ process: child, exited }: Gateway): Promise<void> {
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(late)
}
