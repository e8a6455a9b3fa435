import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { Committer } from './committer.ts'
import { fetchSpan, type SpanSource } from './fetch/span.ts'
import type { BlockSpan, FetchedBatch, ProjectedBatch } from './prepareBatch.ts'
import { type SyncBounds, spanAt } from './state.ts'

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
   * The batch of a span's blocks, or of the first of them, ready to be committed. Everything before the span has to be committed. Starts
   * the batches after it.
   *
   * @throws what fetching and preparing it threw
   */
  next(span: BlockSpan, tip: ChainTip): Promise<ProjectedBatch>
  /** How many blocks to fetch in the next range, learned from what the last ones held. */
  rangeBlocks(): number
  /** Drops the batches that were started: they may belong to a replaced chain, or depend on a commit that failed. */
  discard(): void
}

/** A span that is fetched or prepared before its turn. */
interface Begun<T> {
  readonly span: BlockSpan
  readonly result: Promise<T>
}

interface Prepared {
  readonly batch: ProjectedBatch
  readonly announced: readonly Hex[]
  /** The span after it, which is being fetched; `null`: it has to wait. */
  readonly following: Begun<FetchedBatch> | null
}

/**
 * Blocks this close to the confirmed head are not fetched ahead: if a fork replaced them after that, they would still follow the cursor.
 */
const NOT_AHEAD_BLOCKS = 8

export function createPrefetch({ source, watchlist, prepare, bounds, ranges }: PrefetchOptions): Prefetch {
  /** This many confirmed blocks have to follow a span that is fetched ahead. */
  const confirmedAfter: Readonly<Record<BlockSpan['mode'], number>> = {
    range: bounds.followBlocks,
    catchUp: Math.max(bounds.liveBlocks + 1, NOT_AHEAD_BLOCKS),
    live: Number.POSITIVE_INFINITY,
  }
  const spanSource = { source, watchlist, maxRangeLogs: maxRangeLogs(ranges) }
  let rangeBlocks = firstRangeBlocks(ranges)
  let ahead: Begun<Prepared> | null = null
  /** Aborted by `discard`: what is being fetched then is not prepared, and nothing after it is begun. */
  let run = new AbortController()

  async function fetch(span: BlockSpan, tip: ChainTip, announced: readonly Hex[]): Promise<FetchedBatch> {
    const batch = await fetchSpan(spanSource, span, tip, announced)
    if (batch.mode === 'range') rangeBlocks = nextRangeBlocks(batch.to.number - batch.from + 1, batch.logs.length, ranges)
    return batch
  }

  function beginFetchingAfter(batch: FetchedBatch, tip: ChainTip, announced: readonly Hex[]): Begun<FetchedBatch> | null {
    const from = batch.to.number + 1
    const confirmed = tip.confirmed.number
    if (batch.mode === 'live' || from > confirmed) return null
    const span = spanAt(from, confirmed, bounds, rangeBlocks)
    const to = Math.min(span.to, confirmed - confirmedAfter[span.mode])
    return to < from ? null : begun({ ...span, to }, fetch({ ...span, to }, tip, announced))
  }

  /** Once the span is fetched, it is prepared while the span after it is fetched. */
  async function prepareFetched(fetching: Promise<FetchedBatch>, previous: Prepared | null, tip: ChainTip): Promise<Prepared> {
    const { signal } = run
    const fetched = await fetching
    signal.throwIfAborted()
    const { announced } = fetched
    const following = beginFetchingAfter(fetched, tip, [...(previous?.announced ?? []), ...announced])
    return { batch: await prepare(fetched, previous?.batch ?? null), announced, following }
  }

  /** The batch that was started at this block, unless the tip is too close to it now. */
  function takeAhead(from: number, { confirmed }: ChainTip): Promise<Prepared> | null {
    const taken = ahead
    if (taken?.span.from === from && taken.span.to <= confirmed.number - confirmedAfter[taken.span.mode]) {
      ahead = null
      return taken.result
    }
    discard()
    return null
  }

  function discard(): void {
    ahead = null
    run.abort()
    run = new AbortController()
  }

  return {
    next: async (span, tip) => {
      const taken = await (takeAhead(span.from, tip) ?? prepareFetched(fetch(span, tip, []), null, tip))
      const { batch, following } = taken
      if (following !== null) ahead = begun(following.span, prepareFetched(following.result, taken, tip))
      return batch
    },
    rangeBlocks: () => rangeBlocks,
    discard,
  }
}

/** `next` throws the failure. The handler keeps a discarded result's failure from being an unhandled rejection. */
function begun<T>(span: BlockSpan, result: Promise<T>): Begun<T> {
  result.catch(() => undefined)
  return { span, result }
}

/** Bounds of the number of blocks in one range. */
export interface RangeBounds {
  readonly minBlocks: number
  readonly maxBlocks: number
  /** Logs per range to aim for. A range with twice as many is cut. */
  readonly targetLogs: number
}

/** The first range is small: it is not known yet how much the blocks hold, and nothing is written while it is fetched. */
const FIRST_RANGE_BLOCKS = 100
const MAX_RANGE_GROWTH = 4
const CUT_AT_TARGETS = 2

/** The size of the first range, before any density of logs is known. */
function firstRangeBlocks({ maxBlocks }: RangeBounds): number {
  return Math.min(FIRST_RANGE_BLOCKS, maxBlocks)
}

/** As many blocks as would hold the target at the density of the last range, and at most four times as many as it had. */
export function nextRangeBlocks(blocks: number, logs: number, { minBlocks, maxBlocks, targetLogs }: RangeBounds): number {
  const fitting = logs === 0 ? blocks * MAX_RANGE_GROWTH : Math.floor((blocks * targetLogs) / logs)
  return Math.max(minBlocks, Math.min(maxBlocks, fitting, blocks * MAX_RANGE_GROWTH))
}

/** A range with more logs is cut. */
function maxRangeLogs({ targetLogs }: RangeBounds): number {
  return targetLogs * CUT_AT_TARGETS
}
