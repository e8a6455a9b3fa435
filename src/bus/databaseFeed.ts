import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { isLogged, pause } from '#async/pause.ts'
import type { Address } from '#domain/address.ts'
import type { FeedHealth, IndexerReport } from '#resources/health.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createListener, type Listener } from '#store/connection/listener.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { COMMITS_CHANNEL, parseAnnouncement, readNewestCommit, readSequences } from '#store/rows/announcement.ts'
import { type AnnouncedCommit, type BlockConsumer, type BlockFeed, mergePending, NO_STATES, type PendingCommits } from './blockFeed.ts'
import { createMessageGuard, INDEXER_CHANNEL, type MessageGuard, parseIndexerReport } from './indexerReport.ts'
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

/** What a feed of the database knows. */
export interface FeedState {
  /** Commits that are not passed on yet, merged into one. */
  readonly pending: PendingCommits | null
  /** Commits whose states are being read. */
  readonly underWay: PendingCommits | null
  /** All watched tokens have to be compared with the database at the next beat: an announcement may have been missed. */
  readonly mustCompare: boolean
  /** The newest commit that was announced. */
  readonly newestAnnounced: number
  /** The newest commit in the database at the last beat. Its announcement should arrive before the next beat. */
  readonly committed: number
  /** Whether a commit was announced since the last beat that found an unannounced one. */
  readonly hasAnnounced: boolean
  /** The database has commits, and the carrier announces none. */
  readonly isSilent: boolean
  /** The block that was passed on last, and the newest one that the indexer has reported; `null`: none yet. */
  readonly passedBlock: number | null
  readonly indexedBlock: number | null
}

export type FeedEvent =
  | { readonly type: 'announced'; readonly commits: PendingCommits }
  /** Announcements may have been missed: the database is listened to anew, or a message was ignored. */
  | { readonly type: 'missed' }
  /** The same, since the carrier lost some or is connected anew: it does not count as silent any more. */
  | { readonly type: 'carrierLost' }
  | { readonly type: 'reported'; readonly indexedBlock: number | null }
  /** The database's newest commit was read, about once a second. */
  | { readonly type: 'beat'; readonly newest: AnnouncedCommit; readonly nowMs: number }
  /** The pending commits are being passed on; this has succeeded; this has failed, and they are pending again. */
  | { readonly type: 'taken' }
  | { readonly type: 'passed' }
  | { readonly type: 'failed' }

/** Before it has listened, a feed has missed everything. */
export const NOTHING_HEARD: FeedState = {
  pending: null,
  underWay: null,
  mustCompare: true,
  newestAnnounced: 0,
  committed: 0,
  hasAnnounced: false,
  isSilent: false,
  passedBlock: null,
  indexedBlock: null,
}

export function afterFeedEvent(state: FeedState, event: FeedEvent): FeedState {
  switch (event.type) {
    case 'announced': {
      const newestAnnounced = Math.max(state.newestAnnounced, event.commits.newest.commit)
      const pending = mergePending(state.pending, event.commits)
      return { ...state, pending, newestAnnounced, hasAnnounced: true, isSilent: false }
    }
    case 'missed':
      return { ...state, mustCompare: true }
    case 'carrierLost':
      return { ...state, mustCompare: true, isSilent: false }
    case 'reported':
      return { ...state, indexedBlock: event.indexedBlock }
    case 'beat':
      return afterBeat(state, event)
    case 'taken':
      return { ...state, pending: null, underWay: state.pending }
    case 'passed':
      return { ...state, underWay: null, passedBlock: state.underWay?.newest.number ?? state.passedBlock }
    case 'failed':
      return { ...state, pending: putBack(state), underWay: null }
  }
}

function afterBeat(state: FeedState, { newest, nowMs }: Extract<FeedEvent, { type: 'beat' }>): FeedState {
  // A forged announcement must not hide commits that are still to come.
  const newestAnnounced = Math.min(state.newestAnnounced, newest.commit)
  const committed = newest.commit
  const isUnannounced = !state.mustCompare && state.committed > newestAnnounced
  if (!state.mustCompare && !isUnannounced) return { ...state, newestAnnounced, committed }
  const compareAll: PendingCommits = { newest, sinceMs: nowMs, changed: null, dropped: new Set(), states: NO_STATES }
  const compared = { ...state, pending: mergePending(state.pending, compareAll), mustCompare: false, newestAnnounced: committed, committed }
  return isUnannounced ? { ...compared, isSilent: !state.hasAnnounced, hasAnnounced: false } : compared
}

function putBack({ underWay, pending }: FeedState): PendingCommits | null {
  if (underWay === null || pending === null) return underWay ?? pending
  return mergePending(underWay, pending)
}

interface StateReading {
  readonly db: Queryable
  readonly chainId: number
  readonly watched: ReadonlySet<Address>
  readonly consumer: BlockConsumer
  readonly commits: PendingCommits
  isStopped(): boolean
}

/** States per statement. It takes some 30 ms, so that other reads do not wait long for it. */
const MAX_STATES = 200
const MAX_SEQUENCES = 5_000

/** Dispatches the new states of watched tokens that the commits changed. Reads the states that did not come with the announcement. */
export async function dispatchChangedStates(reading: StateReading, changed: ReadonlySet<Address>): Promise<void> {
  const { watched, commits } = reading
  const isWatched = (token: Address) => watched.has(token)
  const moved = [...changed].filter(isWatched)
  const arrived = moved.flatMap(token => commits.states.get(token) ?? [])
  const unread = moved.filter(token => !commits.states.has(token))
  await dispatchStates(reading, unread, await confirmDropped(reading.db, [...commits.dropped].filter(isWatched)), arrived)
}

/** The announced dropped tokens that have no row. The others are indexed again by now, or their announcement was forged. */
async function confirmDropped(db: Queryable, tokens: readonly Address[]): Promise<readonly Address[]> {
  if (tokens.length === 0) return tokens
  const stored = await readSequences(db, tokens)
  return tokens.filter(token => !stored.has(token))
}

/** Compares every watched token's sequence with the database, and dispatches the states with a newer one. */
async function dispatchMissedStates(reading: StateReading): Promise<void> {
  const { db, watched, consumer } = reading
  for (const tokens of chunksOf([...watched], MAX_SEQUENCES)) {
    // Before the read, so that a state that the consumer gets meanwhile does not look like a lost one.
    const held = new Map(tokens.map(token => [token, consumer.sequence(token)]))
    const stored = await readSequences(db, tokens)
    const moved = tokens.filter(token => (stored.get(token) ?? -1) > (held.get(token) ?? -1))
    const dropped = tokens.filter(token => held.get(token) !== null && !stored.has(token))
    await dispatchStates(reading, moved, dropped)
  }
}

async function dispatchStates(
  reading: StateReading,
  unread: readonly Address[],
  dropped: readonly Address[],
  arrived: readonly TokenSnapshot[] = [],
): Promise<void> {
  const { db, chainId, commits, consumer, watched } = reading
  const { number, hash, timestamp } = commits.newest
  const dispatch = (states: readonly TokenSnapshot[], gone: readonly Address[]) => {
    if (reading.isStopped()) return
    // The last subscriber of a token may have left during the read.
    const tokens = states.filter(({ token }) => watched.has(token.address))
    const stillWatched = gone.filter(token => watched.has(token))
    consumer.dispatch({ number, hash, timestamp, completedAtMs: commits.sinceMs, tokens, unread: [], dropped: stillWatched })
  }
  if (dropped.length + arrived.length > 0) dispatch(arrived, dropped)
  for (const addresses of chunksOf(unread, MAX_STATES)) dispatch(await readSnapshots(db, { chainId, addresses }), [])
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** Receives from PostgreSQL which tokens each commit changed. */
export function createNotifyFeed(options: DatabaseFeedOptions): BlockFeed {
  let last = 0
  const feed = createDatabaseFeed(options, {
    channels: [COMMITS_CHANNEL],
    silence: () => 'DATABASE_URL: the database has commits that it does not announce; a pooler in between has to keep sessions',
    onNotification: payload => {
      const { changed, dropped, ...newest } = parseAnnouncement(payload)
      if (newest.commit > last + 1) feed.carrierLost()
      last = newest.commit
      const tokens = changed === null ? null : new Set(changed)
      feed.announced({ newest, sinceMs: options.now(), changed: tokens, dropped: new Set(dropped), states: NO_STATES })
    },
  })
  return { ...feed, health: () => ({ carrier: 'notify', ...feed.health() }) }
}
