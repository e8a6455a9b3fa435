import type { LaunchpadsConfig } from '#config'
import { TokenwireError } from '#errors'
import { awaitSessionLock, type SessionLockInput } from '#store/connection/sessionLock.ts'
import { readIdentity } from '#store/rows/identity.ts'
import type { Indexing, StartedThread } from '#worker/startIndexing.ts'
import { startGateway } from './gatewayService.ts'
import { openWriting } from './indexerService.ts'
import type { RoleOptions, StartedRole } from './run.ts'
import { requireWebhooks } from './startWebhooks.ts'
import { watchLaunchpads } from './watchFile.ts'

export interface StandbyOptions extends RoleOptions {
  readonly thread: StartedThread
  /** Held by another process. */
  readonly lock: SessionLockInput
}

/**
 * Starts a process that serves what another one indexes, as a gateway does, and indexes itself when that one is gone. It still learns of
 * commits from the database then, which announces this process's own ones, so that its clients notice nothing but a pause.
 *
 * @throws `TokenwireError` with what would prevent it from indexing later
 */
export async function startStandby(options: StandbyOptions): Promise<StartedRole> {
  const { thread, lock, logger, onStop, onFailure } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let indexing: Indexing | null = null
  let price: { readonly ethUsd: string; readonly atMs: number; readonly usableMs: number } | null = null

  await thread.check(lock.url)
  requireWebhooks(options.config)
  const onChanged = (launchpads: LaunchpadsConfig) => {
    thread.want(launchpads)
    if (indexing === null) logger.warn('LAUNCHPADS_FILE has changed: it is applied if this standby becomes the process that indexes')
  }
  onStop(watchLaunchpads({ file: options.config.launchpadsFile, onChanged, logger }))
  const {
    url,
    databaseUrl,
    primary: db,
    ...served
  } = await startGateway({
    ...options,
    indexing: {
      view: () => indexing?.view ?? null,
      onPrice: (ethUsd, usableMs) => {
        price = { ethUsd, atMs: performance.now(), usableMs }
        indexing?.priced(ethUsd, usableMs)
      },
    },
  })

  const takeOver = async (): Promise<void> => {
    const held = await awaitSessionLock(lock, signal)
    if (held === null) return
    onStop(() => held.release())
    // The process that had the lock before may have been a newer version.
    if ((await readIdentity(db)) === null) throw new TypeError('the schema of a database has become older')
    const writing = await openWriting({ ...options, databaseUrl, db })
    if (signal.aborted) return
    if (price !== null) writing.priced(price.ethUsd, price.usableMs - (performance.now() - price.atMs))
    indexing = writing
    onStop(() => writing.stop())
    // Indexing begins. Clients of a standby get commits as clients of gateways do.
    writing.begin({ ...options, ...served, db })
    logger.warn('the process that indexed is gone; this one has taken over')
  }

  onStop(() => stopped.abort())
  takeOver().catch((error: unknown) => {
    if (signal.aborted) return
    // A defect ends the process as everywhere.
    if (!(error instanceof TokenwireError)) throw error
    onFailure(error)
  })
  logger.info('another process indexes; this one is its standby')
  return { url, databaseUrl }
}
