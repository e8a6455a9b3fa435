import { DATABASE_PATIENCE_MS } from '#store/connection/silence.ts'
import type { StartedThread } from '#worker/startIndexing.ts'
import { openIndexerDatabase } from './indexerDatabase.ts'
import type { RoleOptions, ServiceOptions, StartedRole, Stop } from './serviceOptions.ts'

export interface RunningService extends StartedRole {
  /** Stops everything in reverse order of its start. */
  stop(): Promise<void>
}

/**
 * Starts the process as a gateway, a standby or an indexer.
 *
 * @throws `TokenwireError` with the reason; everything started before is stopped
 */
export async function startService({ thread, ...options }: ServiceOptions): Promise<RunningService> {
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
  try {
    const started = await startRole({ ...options, onStop: one => void stops.push(one), giveUp: impatience.signal }, thread)
    return { ...started, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startRole(options: RoleOptions, thread: StartedThread | null): Promise<StartedRole> {
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
