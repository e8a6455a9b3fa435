import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockSpan } from './action.ts'
import type { Batch, FetchedBatch, ProjectedBatch } from './batch.ts'
import type { Committer } from './committer.ts'
import { fetchSpan, type SpanSource } from './fetch/span.ts'
import { type SyncBounds, spanAt } from './state.ts'

/** Bounds of the number of blocks in one range. */
export interface RangeBounds {
  readonly minBlocks: number
  readonly maxBlocks: number
  /** Logs per range to aim for. A range with twice as many is cut. */
  readonly targetLogs: number
}

export interface PrefetchOptions extends Omit<SpanSource, 'maxRangeLogs'> {
  readonly prepare: Committer['prepare']
  readonly bounds: SyncBounds
  readonly ranges: RangeBounds
}

/**
 * Fetches and prepares batches ahead. While one batch is committed, the next is decoded and projected, and the one after that is fetched:
 * the provider, this process and the database work at the same time.
 */
export interface Prefetch {
  /**
   * The batch of a span's blocks or of its beginning, ready to be committed. Everything before the span has to be committed. Batches after
   * it are begun.
   *
   * @throws what fetching and preparing it threw
   */
  next(span: BlockSpan, tip: ChainTip): Promise<ProjectedBatch>
  /** How many blocks to fetch in the next range, learned from what the last ones held. */
  rangeBlocks(): number
  /** Drops what was begun: it may be of a replaced chain, or rest on a commit that failed. */
  discard(): void
}

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

/** A span that is being fetched or prepared. The promise never rejects: the failure is thrown when the batch is taken. */
interface Begun<T> {
  readonly span: BlockSpan
  readonly outcome: Promise<Outcome<T>>
}

interface Prepared {
  /** Only fetched, when it is a single block that can't be prepared before the batch before it is committed. */
  readonly batch: Exclude<Batch, { stage: 'decoded' }>
  readonly announced: readonly Hex[]
  /** The span after it, which is being fetched; `null`: it has to wait. */
  readonly following: Begun<FetchedBatch> | null
}

/** The first range is small: it is not known yet how much the blocks hold, and nothing is written while it is fetched. */
const FIRST_RANGE_BLOCKS = 100
const MAX_RANGE_GROWTH = 4
const CUT_AT_TARGETS = 2
/**
 * Blocks this close to the confirmed head wait for their turn: fetched ahead and then replaced by a fork, they would still follow the
 * cursor.
 */
const NOT_AHEAD_BLOCKS = 8

export function createPrefetch({ source, watchlist, prepare, bounds, ranges }: PrefetchOptions): Prefetch {
  /** This many confirmed blocks have to follow a span that is fetched ahead. */
  const confirmedAfter: Readonly<Record<BlockSpan['mode'], number>> = {
    range: bounds.followBlocks,
    catchUp: Math.max(bounds.liveBlocks + 1, NOT_AHEAD_BLOCKS),
    live: Number.POSITIVE_INFINITY,
  }
  const spanSource = { source, watchlist, maxRangeLogs: ranges.targetLogs * CUT_AT_TARGETS }
  let rangeBlocks = Math.min(FIRST_RANGE_BLOCKS, ranges.maxBlocks)
  /** What is begun. `discard` puts another object in its place, by which work under way knows that nothing is to follow it. */
  let begun: { ahead: Begun<Prepared> | null } = { ahead: null }

  const fetch = async (span: BlockSpan, tip: ChainTip, announced: readonly Hex[]): Promise<FetchedBatch> => {
    const batch = await fetchSpan(spanSource, span, tip, announced)
    if (batch.mode === 'range') rangeBlocks = nextRangeBlocks(batch.to.number - batch.from + 1, batch.logs.length, ranges)
    return batch
  }

  const beginFetchingAfter = (batch: FetchedBatch, tip: ChainTip, announced: readonly Hex[]): Begun<FetchedBatch> | null => {
    const from = batch.to.number + 1
    const confirmed = tip.confirmed.number
    if (batch.mode === 'live' || from > confirmed) return null
    const span = spanAt(from, confirmed, bounds, rangeBlocks)
    const to = Math.min(span.to, confirmed - confirmedAfter[span.mode])
    return to < from ? null : { span: { ...span, to }, outcome: outcomeOf(fetch({ ...span, to }, tip, announced)) }
  }

  const beginPreparing = ({ span, outcome }: Begun<FetchedBatch>, previous: Prepared | null, tip: ChainTip): Begun<Prepared> => {
    const begunWith = begun
    const prepared = outcome.then(valueOf).then(async (fetched): Promise<Prepared> => {
      const { announced } = fetched
      const following = begunWith === begun ? beginFetchingAfter(fetched, tip, [...(previous?.announced ?? []), ...announced]) : null
      return { batch: await prepareAhead(fetched, previous), announced, following }
    })
    return { span, outcome: outcomeOf(prepared) }
  }

  const prepareAhead = async (fetched: FetchedBatch, previous: Prepared | null): Promise<Prepared['batch']> => {
    if (previous === null) return prepare(fetched, null)
    return fetched.mode === 'live' || previous.batch.stage === 'fetched' ? fetched : prepare(fetched, previous.batch)
  }

  /** Whether a begun batch is the one wanted now, and still deep enough below the tip. */
  const isFit = ({ span }: Begun<Prepared>, from: number, confirmed: number) =>
    span.from === from && span.to <= confirmed - confirmedAfter[span.mode]

  return {
    next: async (span, tip) => {
      const { ahead } = begun
      begun.ahead = null
      const wanted =
        ahead !== null && isFit(ahead, span.from, tip.confirmed.number)
          ? ahead
          : beginPreparing({ span, outcome: outcomeOf(fetch(span, tip, [])) }, null, tip)
      const taken = valueOf(await wanted.outcome)
      const batch = taken.batch.stage === 'fetched' ? await prepare(taken.batch, null) : taken.batch
      if (taken.following !== null) begun.ahead = beginPreparing(taken.following, { ...taken, batch }, tip)
      return batch
    },
    rangeBlocks: () => rangeBlocks,
    discard: () => {
      begun = { ahead: null }
    },
  }
}

/** As many blocks as would hold the target at the density of the last range, and at most four times as many as it had. */
export function nextRangeBlocks(blocks: number, logs: number, { minBlocks, maxBlocks, targetLogs }: RangeBounds): number {
  const fitting = logs === 0 ? blocks * MAX_RANGE_GROWTH : Math.floor((blocks * targetLogs) / logs)
  return Math.max(minBlocks, Math.min(maxBlocks, fitting, blocks * MAX_RANGE_GROWTH))
}

function outcomeOf<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value): Outcome<T> => ({ ok: true, value }),
    (error: unknown): Outcome<T> => ({ ok: false, error }),
  )
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw outcome.error
  return outcome.value
}
