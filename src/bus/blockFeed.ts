import type { Observable } from 'rxjs'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { FeedHealth } from '#resources/health.ts'
import type { TokenSnapshot } from '#resources/token.ts'

/*
 * The interface between the indexer and gateways. A feed is the gateway's end. Each carrier has a feed in a file of its own: threads,
 * PostgreSQL's NOTIFY, NATS. Carriers know nothing of actors, and actors know nothing of the carrier of their blocks.
 *
 * What every feed promises, and `test/bus/feedCases.ts` tests:
 *
 * - It passes on only changes that have committed and that this gateway's database shows.
 * - In the end it passes on the newest state of every watched token that changed, whatever message or connection was lost. States in
 *   between may be left out.
 * - It passes on the states of a token in rising order of their sequence; a state may come twice.
 */

/** What receives committed blocks: the registry of actors, and the cached answers. */
export interface BlockConsumer {
  /**
   * A commit, or several as one, changed rows of these tokens; `null`: of any. Called for every commit, also of tokens that are not
   * watched, when this gateway's database shows it and before its states are dispatched.
   */
  changed(tokens: Iterable<Address> | null): void
  /** Never throws, never waits. */
  dispatch(block: CommittedBlock): void
  /** The sequence of the state of a token that is held; `null`: no state is held. */
  sequence(token: Address): number | null
}

export interface BlockFeed {
  /** The token is watched: changes of its state are passed on from now on. Its current state is not. */
  watch(token: Address): void
  unwatch(token: Address): void
  /** Begins to pass blocks on. To be called once. */
  start(consumer: BlockConsumer): void
  health(): FeedHealth
  /** Passes nothing on after it has resolved. */
  stop(): Promise<void>
}

/** Announced commits that are not passed on yet, merged into one: only the newest state of each token matters. */
export interface PendingCommits {
  readonly newest: AnnouncedCommit
  /** When the first of them arrived. */
  readonly sinceMs: number
  /** `null`: any token may have changed. */
  readonly changed: ReadonlySet<Address> | null
  readonly dropped: ReadonlySet<Address>
  /** The states of changed tokens that came with the announcement. The others are to be read. */
  readonly states: ReadonlyMap<Address, TokenSnapshot>
}

export const NO_STATES: PendingCommits['states'] = new Map()

/** The last block of a commit, and the number of the commit as `commit`. */
export type AnnouncedCommit = Pick<CommittedBlock, 'number' | 'hash' | 'timestamp'> & { readonly commit: number }

/** Most tokens kept. With more, it is cheaper to compare all watched tokens with the database. */
const MAX_KEPT = 20_000

/** @param later arrived after `earlier`; both may be the same attempt, put back after a failure */
export function mergePending(earlier: PendingCommits | null, later: PendingCommits): PendingCommits {
  if (earlier === null) return later
  const newest = later.newest.commit >= earlier.newest.commit ? later.newest : earlier.newest
  const { sinceMs } = earlier
  if (earlier.changed === null || later.changed === null) return { newest, sinceMs, changed: null, dropped: new Set(), states: NO_STATES }
  const changed = new Set(earlier.changed)
  const dropped = new Set(earlier.dropped)
  const states = new Map(earlier.states)
  for (const token of later.changed) {
    changed.add(token)
    dropped.delete(token)
    const state = later.states.get(token)
    if (state === undefined) states.delete(token)
    else states.set(token, state)
  }
  for (const token of later.dropped) {
    changed.delete(token)
    states.delete(token)
    dropped.add(token)
  }
  if (changed.size + dropped.size > MAX_KEPT) return { newest, sinceMs, changed: null, dropped: new Set(), states: NO_STATES }
  return { newest, sinceMs, changed, dropped, states }
}

/** A committed block as it is handed to the main thread: encoded once, in memory that both threads share. */
export interface EncodedBlock extends Omit<CommittedBlock, 'tokens'> {
  /** The states as JSON in UTF-8, one after another. */
  readonly text: SharedArrayBuffer
  /** Where in `text` the state of each changed token is. */
  readonly states: readonly EncodedState[]
}

export interface EncodedState {
  readonly token: Address
  readonly offset: number
  readonly length: number
}

/** Encodes each state once, into memory that both threads share. */
export function encodeBlock({ tokens, ...block }: CommittedBlock): EncodedBlock {
  const texts = tokens.map(state => Buffer.from(JSON.stringify(state)))
  const text = new SharedArrayBuffer(texts.reduce((sum, { length }) => sum + length, 0))
  const bytes = new Uint8Array(text)
  let offset = 0
  const states = tokens.map(({ token }, index): EncodedState => {
    const one = texts[index] as Buffer
    bytes.set(one, offset)
    offset += one.length
    return { token: token.address, offset: offset - one.length, length: one.length }
  })
  return { ...block, text, states }
}

/** The JSON of one state of a block. */
export function stateText({ text }: EncodedBlock, { offset, length }: EncodedState): string {
  return Buffer.from(text, offset, length).toString()
}

/** The block with the states of these tokens alone: the others are not parsed. */
function decodeBlock(encoded: EncodedBlock, isWatched: (token: Address) => boolean): CommittedBlock {
  const { text: _, states, ...block } = encoded
  const watched = states.filter(({ token }) => isWatched(token))
  return { ...block, tokens: watched.map(state => JSON.parse(stateText(encoded, state)) as TokenSnapshot) }
}

export interface MovingFeed extends BlockFeed {
  /** Passes on what `next`, which is not started yet, brings from now on. Resolves when the feed before it has stopped. */
  moveTo(next: BlockFeed): Promise<void>
  /** What was read of any token may be outdated. */
  outdate(): void
}

/** A feed whose source can be replaced, as by the feed of another index. The new one compares all watched tokens with its database. */
export function createMovingFeed(first: BlockFeed): MovingFeed {
  const watched = new Set<Address>()
  let current = first
  let consumer: BlockConsumer | null = null
  let isStopped = false
  return {
    watch: token => {
      watched.add(token)
      current.watch(token)
    },
    unwatch: token => {
      watched.delete(token)
      current.unwatch(token)
    },
    start: to => {
      consumer = to
      current.start(to)
    },
    health: () => current.health(),
    stop: () => {
      isStopped = true
      return current.stop()
    },
    outdate: () => consumer?.changed(null),
    moveTo: async next => {
      const before = current
      for (const token of watched) next.watch(token)
      current = next
      await before.stop()
      if (isStopped || consumer === null) return
      consumer.changed(null)
      next.start(consumer)
    },
  }
}

export interface ThreadFeedOptions {
  /** Blocks of the indexing thread, which reads the states of watched tokens in each commit's transaction. */
  readonly blocks: Observable<EncodedBlock>
  watch(token: Address): void
  unwatch(token: Address): void
  stop(): Promise<void>
}

/**
 * Carries blocks from the indexing thread to the main one, where no message is lost. A block has the states of watched tokens;
 * a changed token whose state it lacks is `unread`.
 */
export function createThreadFeed({ blocks, watch, unwatch, stop }: ThreadFeedOptions): BlockFeed {
  const watched = new Set<Address>()
  const isWatched = (token: Address) => watched.has(token)
  return {
    watch: token => {
      watched.add(token)
      watch(token)
    },
    unwatch: token => {
      watched.delete(token)
      unwatch(token)
    },
    start: consumer =>
      void blocks.subscribe(block => {
        consumer.changed([...block.states.map(({ token }) => token), ...block.unread, ...block.dropped])
        consumer.dispatch(decodeBlock(block, isWatched))
      }),
    health: () => ({ carrier: 'thread', connected: true, disconnectedMs: 0, waitingMs: 0, behindBlocks: 0, reconnects: 0, replica: null }),
    stop,
  }
}
