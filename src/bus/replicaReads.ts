import type { DatabaseConnection } from 'kysely'
import type { Logger } from 'pino'
import { pause } from '#async/pause.ts'
import { repeat } from '#async/repeat.ts'
import type { ReplicaHealth } from '#resources/health.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readNewestCommit } from '#store/rows/announcement.ts'
import { primaryFallback } from './primaryFallback.ts'

/** How long updates wait for the replica. */
const PATIENCE_MS = 3_000
const LOOK_EVERY_MS = 1_000
const MAX_PAUSE_MS = 50

export interface ReplicaReadsOptions {
  readonly replica: Queryable
  readonly primary: Queryable
  readonly logger: Logger
  /** `monotonicMs`. */
  readonly now: () => number
  /** Default 3 s. */
  readonly patienceMs?: number
}

export interface ReplicaReads {
  /** Reads from the replica; from the primary while the replica is behind or away. */
  readonly db: Queryable
  /** Resolves when `db` shows the commit. Never rejects. */
  untilShown(commit: number): Promise<void>
  health(): ReplicaHealth
  stop(): void
}

/**
 * Reads from a replica that never shows less than clients were sent: an update is passed on only when the replica shows its commit. After
 * `patienceMs` all reads go to the primary, until the replica shows the newest commit again. The address may lead to several servers: each
 * connection is asked for itself, once per commit.
 */
export function createReplicaReads({ replica, primary, logger, now, patienceMs = PATIENCE_MS }: ReplicaReadsOptions): ReplicaReads {
  const stopped = new AbortController()
  const { signal } = stopped
  let inUse = true
  /** The newest commit that was asked for. */
  let wanted = 0
  /** The newest commit that the replica has shown. */
  let shown = 0
  /** The newest commit that was passed on: what clients were sent of it, each read has to show. */
  let promised = 0
  let answeredAtMs = now()
  /** Since when it has not shown `wanted`; `null`: it does. */
  let behindSinceMs: number | null = null

  /** Asks the replica for its newest commit. A replica that does not answer in time is asked again later. */
  const look = async (withinMs: number): Promise<void> => {
    const answer = readNewestCommit(replica).then(newest => {
      answeredAtMs = now()
      shown = newest?.commit ?? 0
      if (shown >= wanted) behindSinceMs = null
    })
    await Promise.race([answer.catch(() => undefined), pause(withinMs, signal)])
  }

  const use = (isInUse: boolean, message: string): void => {
    if (inUse === isInUse || signal.aborted) return
    inUse = isInUse
    logger.warn({ shown, wanted }, message)
  }

  const watch = async (): Promise<void> => {
    await look(LOOK_EVERY_MS)
    if (inUse && now() - answeredAtMs >= patienceMs) use(false, 'the replica does not answer; reads go to the primary')
    else if (!inUse && shown >= wanted && now() - answeredAtMs < LOOK_EVERY_MS)
      use(true, 'the replica shows the newest commit again; reads go to it')
  }

  const mayWait = () => inUse && !signal.aborted

  const untilShown = async (commit: number): Promise<void> => {
    wanted = commit
    if (shown < commit) await untilLookShows(commit)
    promised = Math.max(promised, commit)
  }

  const untilLookShows = async (commit: number): Promise<void> => {
    const askedAtMs = now()
    behindSinceMs ??= askedAtMs
    for (let pauseMs = 1; mayWait(); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      const leftMs = askedAtMs + patienceMs - now()
      if (leftMs <= 0) use(false, 'the replica is behind; reads go to the primary')
      else await look(leftMs)
      if (shown >= commit) return
      await pause(pauseMs, signal)
    }
  }

  /** The newest commit that each connection's server has shown. A server never shows less later. */
  const shownBy = new WeakMap<DatabaseConnection, number>()
  const isCurrent = async (connection: DatabaseConnection, db: Queryable): Promise<boolean> => {
    if ((shownBy.get(connection) ?? 0) >= promised) return true
    const asked = promised
    const commit = (await readNewestCommit(db))?.commit ?? 0
    shownBy.set(connection, commit)
    return commit >= asked
  }
  const reads = primaryFallback(replica, primary, isCurrent)
  const stop = repeat(LOOK_EVERY_MS, () => void watch())
  return {
    db: { getExecutor: () => (inUse ? reads : primary).getExecutor() },
    untilShown,
    health: () => ({ inUse, behindMs: behindSinceMs === null ? 0 : Math.floor(now() - behindSinceMs) }),
    stop: () => {
      stop()
      stopped.abort()
    },
  }
}
