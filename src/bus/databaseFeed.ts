import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import type { Address } from '#domain/address.ts'
import type { FeedHealth } from '#resources/health.ts'
import { createListener, type Listener } from '#store/connection/listener.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readNewestCommit } from '#store/rows/announcement.ts'
import type { BlockConsumer, BlockFeed } from './blockFeed.ts'
import { dispatchChangedStates, dispatchMissedStates, type StateReading } from './dispatchStates.ts'
import { afterFeedEvent, type FeedEvent, NOTHING_HEARD } from './feedState.ts'
import { INDEXER_CHANNEL, type IndexerReport, parseIndexerReport } from './indexerReport.ts'
import { createMessageGuard, type MessageGuard } from './messageGuard.ts'
import type { PendingCommits } from './pendingCommits.ts'
import type { ReplicaReads } from './replicaReads.ts'

export interface DatabaseFeedOptions {
  /** URL of the database that the indexer writes, because a replica can't be listened to. */
  readonly databaseUrl: string
  /** Where states are read. */
  readonly db: Queryable
  /** Given if `db` reads from a replica. */
  readonly replica?: Pick<ReplicaReads, 'untilShown' | 'health'>
  readonly chainId: number
  readonly logger: Logger
  /** `monotonicMs`. */
  readonly now: () => number
  /** Called about once a second while an indexer runs. */
  readonly onReport: (report: IndexerReport) => void
  /** Called at each beat with the newest block in the database. */
  readonly onNewest?: (block: number) => void
}

/** What a carrier adds to become a feed: how commits arrive. */
export interface Carrier {
  /** The database's channels that are listened to beside the indexer's reports. */
  readonly channels: readonly string[]
  /** Takes a notification of these channels. @throws when no indexer sends such a payload */
  readonly onNotification?: (payload: string) => void
  /** What to log when the database has commits and the carrier announces none; `null`: nothing. */
  readonly silence: () => string | null
  /** Whether the carrier of the commits is connected, if it is not the database. */
  readonly isConnected?: () => boolean
  /** Called at each beat, before watched tokens are compared with the database. */
  readonly beat?: (primary: Queryable) => Promise<void>
}

/** The part of a feed that does not depend on how commits arrive. */
export interface DatabaseFeed extends Omit<BlockFeed, 'health'> {
  isWatched(token: Address): boolean
  /** Takes a message of the carrier. After one that is ignored, all watched tokens are compared with the database. */
  readonly guarded: MessageGuard
  /** A commit was announced. */
  announced(commits: PendingCommits): void
  /** The carrier may have lost announcements. All watched tokens are compared with the database at the next beat. */
  carrierLost(): void
  health(): Omit<FeedHealth, 'carrier'>
}

/**
 * Passes announced commits on, with the states of watched tokens, which are read once for all clients unless they came with the
 * announcement. While it reads, further commits wait, merged into one. When an announcement may have been lost, and when the database has
 * a commit that was not announced, it compares all watched tokens with the database.
 */
export function createDatabaseFeed(options: DatabaseFeedOptions, carrier: Carrier): DatabaseFeed {
  const { databaseUrl, db, replica, chainId, logger, now, onReport } = options
  const watched = new Set<Address>()
  const stopped = new AbortController()
  const { signal } = stopped
  let state = NOTHING_HEARD
  let listener: Listener | null = null
  let consumer: BlockConsumer | null = null
  let running: Promise<void> | null = null
  /** The last beat at which commits could arrive. */
  let connectedAtMs = now()

  const enter = (event: FeedEvent): void => {
    const { isSilent } = state
    state = afterFeedEvent(state, event)
    const silence = state.isSilent && !isSilent ? carrier.silence() : null
    if (silence !== null) logger.warn(silence)
    if (consumer !== null && state.pending !== null) running ??= run(consumer)
  }

  const pass = async (commits: PendingCommits, to: BlockConsumer): Promise<void> => {
    const reading: StateReading = { db, chainId, watched, consumer: to, commits, isStopped: () => signal.aborted }
    await replica?.untilShown(commits.newest.commit)
    to.changed(commits.changed === null ? null : [...commits.changed, ...commits.dropped])
    await (commits.changed === null ? dispatchMissedStates(reading) : dispatchChangedStates(reading, commits.changed))
  }

  const run = async (to: BlockConsumer): Promise<void> => {
    let failures = 0
    while (state.pending !== null && !signal.aborted) {
      const commits: PendingCommits = state.pending
      enter({ type: 'taken' })
      try {
        await pass(commits, to)
        enter({ type: 'passed' })
        failures = 0
      } catch (err) {
        failures++
        enter({ type: 'failed' })
        if (isLogged(failures)) logger.warn({ err, failures }, 'committed states could not be read, trying again')
        await pause(Math.min(100 * 2 ** failures, 2_000), signal)
      }
    }
    running = null
  }

  const guard = createMessageGuard(logger)
  const guarded: MessageGuard = (channel, take) => {
    const isTaken = guard(channel, take)
    if (!isTaken) enter({ type: 'missed' })
    return isTaken
  }

  const hear = (channel: string, payload: string): void => {
    if (channel === INDEXER_CHANNEL) {
      const report = parseIndexerReport(payload)
      enter({ type: 'reported', indexedBlock: report.state.indexedBlock })
      return onReport(report)
    }
    carrier.onNotification?.(payload)
  }

  const isConnected = () => listener?.isListening === true && !state.isSilent && carrier.isConnected?.() !== false

  const beat = async (session: Kysely<unknown>): Promise<void> => {
    await carrier.beat?.(session)
    const newest = await readNewestCommit(session)
    if (newest === null) return
    options.onNewest?.(newest.number)
    enter({ type: 'beat', newest, nowMs: now() })
    if (isConnected()) connectedAtMs = now()
  }

  return {
    watch: token => void watched.add(token),
    unwatch: token => void watched.delete(token),
    isWatched: token => watched.has(token),
    guarded,
    announced: commits => enter({ type: 'announced', commits }),
    carrierLost: () => enter({ type: 'carrierLost' }),
    start: to => {
      consumer = to
      const onListening = () => enter({ type: 'missed' })
      const channels = [...carrier.channels, INDEXER_CHANNEL]
      const onNotification = (channel: string, payload: string) => void guarded(channel, () => hear(channel, payload))
      listener = createListener({ url: databaseUrl, channels, scope: 'schema', logger, onListening, onNotification, beat })
    },
    health: () => {
      const { underWay, pending, passedBlock, indexedBlock } = state
      return {
        connected: isConnected(),
        disconnectedMs: isConnected() ? 0 : now() - connectedAtMs,
        waitingMs: Math.max(0, now() - (underWay?.sinceMs ?? pending?.sinceMs ?? now())),
        behindBlocks: passedBlock === null || indexedBlock === null ? null : Math.max(0, indexedBlock - passedBlock),
        reconnects: listener?.reconnects ?? 0,
        replica: replica?.health() ?? null,
      }
    },
    stop: async () => {
      stopped.abort()
      await listener?.stop()
      await running
    },
  }
}
