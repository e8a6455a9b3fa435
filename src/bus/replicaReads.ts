import { setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, DatabaseConnection, QueryExecutor } from 'kysely'
import type { Logger } from 'pino'
import { pause, repeat } from '#async/pause.ts'
import { TokenwireError } from '#errors'
import type { ReplicaHealth } from '#resources/health.ts'
import { causes, codeOf, toStartError } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { readNewestCommit } from '#store/rows/announcement.ts'
import { readIdentity, readWriter } from '#store/rows/identity.ts'

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

/**
 * Reads from a replica. A statement runs on the primary when its connection leads to a server that is behind, as one of several replicas
 * behind one address may be, and when the replica cancels it, because what it replays conflicts with it.
 *
 * @param isCurrent whether the server of a connection shows what the statement may have to show
 */
function primaryFallback(
  replica: Queryable,
  primary: Queryable,
  isCurrent: (connection: DatabaseConnection, db: Queryable) => Promise<boolean>,
): Queryable {
  return {
    getExecutor: () => {
      const executor = replica.getExecutor()
      const executeQuery: QueryExecutor['executeQuery'] = async <Row>(query: CompiledQuery<Row>) => {
        try {
          const answer = await executor.provideConnection(async connection => {
            const same = executor.withConnectionProvider({ provideConnection: consumer => consumer(connection) })
            return (await isCurrent(connection, { getExecutor: () => same })) ? await same.executeQuery(query) : null
          })
          if (answer !== null) return answer
        } catch (error) {
          if (!isCancelled(error)) throw error
        }
        return primary.getExecutor().executeQuery(query)
      }
      return new Proxy(executor, {
        get: (target, name) => {
          const member: unknown = name === 'executeQuery' ? executeQuery : Reflect.get(target, name, target)
          return typeof member === 'function' ? member.bind(target) : member
        },
      })
    },
  }
}

/** "canceling statement due to conflict with recovery". A statement that only reads fails with this code for nothing else. */
function isCancelled(error: unknown): boolean {
  return causes(error).some(link => codeOf(link) === '40001')
}

export interface OpenReplicaOptions {
  readonly primary: Queryable
  readonly logger: Logger
  readonly now: () => number
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/** A replica that is only a little behind shows within this time which process writes to the primary. */
const MAX_WAIT_MS = 5_000
const ASK_AGAIN_MS = 250

/**
 * Opens a replica of the primary for reads.
 *
 * @throws `TokenwireError` that names `DATABASE_READ_URL`: it can't be reached, or is no replica of the primary
 */
export async function openReplica(url: string, { primary, logger, now, onStop }: OpenReplicaOptions): Promise<ReplicaReads> {
  const orm = createOrm(url, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000, isStandbyWanted: true })
  onStop(() => orm.close(true))
  const replica = orm.em.getKysely<unknown>()
  const untilMs = now() + MAX_WAIT_MS
  await requireDatabase(replica, { url, use: 'replica', logger })
  const failed = (error: unknown): never => {
    throw toStartError(error, { url, setting: 'DATABASE_READ_URL' })
  }
  while (!(await isReplicaOf(replica, primary).catch(failed))) {
    if (now() > untilMs) {
      const sentence = `it is no replica of DATABASE_URL, or more than ${MAX_WAIT_MS / 1_000} s behind`
      throw new TokenwireError('database_unavailable', `DATABASE_READ_URL: ${sentence}`, { retryable: true })
    }
    await delay(ASK_AGAIN_MS)
  }
  const reads = createReplicaReads({ replica, primary, logger, now })
  onStop(() => reads.stop())
  return reads
}

async function isReplicaOf(replica: Queryable, primary: Queryable): Promise<boolean> {
  if ((await readIdentity(replica)) === null) return false
  const [here, there] = await Promise.all([readWriter(replica), readWriter(primary)])
  return here !== null && here === there
}
