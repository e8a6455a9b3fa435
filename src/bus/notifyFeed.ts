import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import type { Address } from '#domain/address.ts'
import { createListener, type Listener } from '#store/connection/listener.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { COMMITS_CHANNEL, parseAnnouncement, readNewestCommit } from '#store/rows/announcement.ts'
import type { BlockConsumer, BlockFeed } from './blockFeed.ts'
import { INDEXER_CHANNEL, type IndexerReport } from './indexerReport.ts'
import { mergePending, type PendingCommits } from './pendingCommits.ts'
import { readChangedStates, readMissedStates, type StateReading } from './readStates.ts'

export interface NotifyFeedOptions {
  /** Of the database that the indexer writes. A replica can't be listened to. */
  readonly databaseUrl: string
  /** Where states are read. */
  readonly db: Queryable
  readonly chainId: number
  readonly logger: Logger
  /** `monotonicMs`. */
  readonly now: () => number
  /** Called about once a second while an indexer runs. */
  readonly onReport: (report: IndexerReport) => void
}

/**
 * Hears from PostgreSQL which tokens each commit changed, and reads the states of the watched ones, once for all clients. While it reads,
 * further commits wait as one. After anything that may have cost a notification, it compares all watched tokens with the database.
 */
export function createNotifyFeed(options: NotifyFeedOptions): BlockFeed {
  const { databaseUrl, db, chainId, logger, now, onReport } = options
  const watched = new Set<Address>()
  const stopped = new AbortController()
  const { signal } = stopped
  let listener: Listener | null = null
  let consumer: BlockConsumer | null = null
  let pending: PendingCommits | null = null
  let underWay: PendingCommits | null = null
  let running: Promise<void> | null = null
  /** The newest commit that was announced on this connection. */
  let announced = 0
  /** What the database said at the last beat; its notification has arrived by the next one. */
  let committed = 0
  let mustLook = true

  const pass = async (commits: PendingCommits, to: BlockConsumer): Promise<void> => {
    const reading: StateReading = {
      db,
      chainId,
      watched,
      consumer: to,
      commits,
      completedAtMs: commits.sinceMs,
      isStopped: () => signal.aborted,
    }
    to.changed(commits.changed === null ? null : [...commits.changed, ...commits.dropped])
    await (commits.changed === null ? readMissedStates(reading) : readChangedStates(reading, commits.changed))
  }

  const run = async (to: BlockConsumer): Promise<void> => {
    let failures = 0
    while (pending !== null && !signal.aborted) {
      const taken: PendingCommits = pending
      underWay = taken
      pending = null
      try {
        await pass(taken, to)
        failures = 0
      } catch (err) {
        failures++
        pending = pending === null ? taken : mergePending(taken, pending)
        if (isLogged(failures)) logger.warn({ err, failures }, 'committed states could not be read, trying again')
        await pause(Math.min(100 * 2 ** failures, 2_000), signal)
      }
      underWay = null
    }
    running = null
  }

  const add = (commits: PendingCommits): void => {
    pending = mergePending(pending, commits)
    if (consumer !== null) running ??= run(consumer)
  }

  const onNotification = (channel: string, payload: string): void => {
    try {
      hear(channel, payload)
    } catch (err) {
      // Whoever may connect to the database may notify.
      logger.warn({ err, channel }, 'a notification that is none of an indexer was ignored')
      mustLook = true
    }
  }

  const hear = (channel: string, payload: string): void => {
    if (channel === INDEXER_CHANNEL) return onReport(JSON.parse(payload) as IndexerReport)
    const { changed, dropped, ...newest } = parseAnnouncement(payload)
    if (newest.commit > announced + 1 && !mustLook) mustLook = true
    announced = Math.max(announced, newest.commit)
    add({ newest, sinceMs: now(), changed: changed === null ? null : new Set(changed), dropped: new Set(dropped) })
  }

  const beat = async (session: Kysely<unknown>): Promise<void> => {
    const newest = await readNewestCommit(session)
    if (newest === null) return
    if (mustLook || committed > announced) {
      announced = newest.commit
      mustLook = false
      add({ newest, sinceMs: now(), changed: null, dropped: new Set() })
    }
    committed = newest.commit
  }

  return {
    watch: token => void watched.add(token),
    unwatch: token => void watched.delete(token),
    start: to => {
      consumer = to
      const onListening = () => {
        mustLook = true
      }
      const channels = [COMMITS_CHANNEL, INDEXER_CHANNEL]
      listener = createListener({ url: databaseUrl, channels, logger, onListening, onNotification, beat })
    },
    health: () => ({
      carrier: 'notify',
      connected: listener?.isListening ?? false,
      waitingMs: Math.max(0, now() - (underWay?.sinceMs ?? pending?.sinceMs ?? now())),
    }),
    stop: async () => {
      stopped.abort()
      await listener?.stop()
      await running
    },
  }
}
