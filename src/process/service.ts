import process from 'node:process'
import type { Config } from '#config'
import { findFreePort } from '#gateway/listening/server.ts'
import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import type { StartedThread } from '#worker/startIndexing.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'
import { openIndexerDatabase } from './indexerDatabase.ts'
import type { RoleOptions, ServiceOptions, StartedRole, Stop } from './run.ts'
import { whenAborted } from './stopRequest.ts'

export interface RunningService extends StartedRole {
  /** Stops everything in reverse order of its start. */
  stop(): Promise<void>
}

/**
 * Starts the process as a gateway, a standby or an indexer.
 *
 * @throws `TokenwireError` with the reason; any error when a stop was requested meanwhile; everything started before is stopped
 */
export async function startService({ thread, stopping, ...options }: ServiceOptions): Promise<RunningService> {
  const stops: Stop[] = []
  const impatience = new AbortController()
  const stop = async () => {
    const late = setTimeout(() => {
      options.logger.warn({ afterMs: DATABASE_PATIENCE_MS }, 'stopping takes long; the connections to the database are ended')
      impatience.abort()
    }, DATABASE_PATIENCE_MS)
    try {
      for (const stopOne of stops.splice(0).reverse()) await stopOne()
    } finally {
      clearTimeout(late)
    }
  }
  const interruption = new AbortController()
  const interrupt = () => {
    interruption.abort(new Error('a stop was requested'))
    impatience.abort()
  }
  stopping.addEventListener('abort', interrupt)
  if (stopping.aborted) interrupt()
  // What is registered during an interrupted start is stopped with the rest, and nothing more is started.
  const onStop = (one: Stop) => {
    stops.push(one)
    interruption.signal.throwIfAborted()
  }
  try {
    const started = await startRole({ ...options, onStop, giveUp: impatience.signal }, thread && interruptible(thread, interruption.signal))
    interruption.signal.throwIfAborted()
    return { ...started, stop }
  } catch (error) {
    await stop()
    throw error
  } finally {
    stopping.removeEventListener('abort', interrupt)
  }
}

/** The thread, whose answers are not waited for after the signal. */
function interruptible(thread: StartedThread, signal: AbortSignal): StartedThread {
  const unlessAborted = async <T>(answer: Promise<T>): Promise<T> => {
    await Promise.race([answer, whenAborted(signal)])
    signal.throwIfAborted()
    return answer
  }
  return { ...thread, check: url => unlessAborted(thread.check(url)), open: url => unlessAborted(thread.open(url)) }
}

/** A taken port is known before the database and the chain are opened. Gateway processes share theirs with their predecessors. */
async function requirePorts({ host, port, statusPort, gateways }: Config): Promise<void> {
  if (process.env[GATEWAY_PROCESS] !== undefined) return
  for (const one of gateways === 0 ? [port] : [statusPort, port]) if (one !== 0) await findFreePort(host, one)
}

async function startRole(options: RoleOptions, thread: StartedThread | null): Promise<StartedRole> {
  await requirePorts(options.config)
  if (thread === null) {
    const { startGateway } = await import('./gatewayService.ts')
    return startGateway(options)
  }
  options.onStop(() => thread.close())
  // Loading it takes as long as creating a database.
  const loading = import('./indexerService.ts')
  const database = await openIndexerDatabase(options, loading)
  if (database.isTaken) {
    const { startStandby } = await import('./standbyService.ts')
    return startStandby({ ...options, thread, lock: database.lock })
  }
  const { startIndexer } = await loading
  return startIndexer({ ...options, thread, ...database })
}
