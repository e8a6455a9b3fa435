import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import { type FetchedRange, fetchRange } from './backfillRange.ts'
import { type BackfillBounds, nextRangeBlocks } from './backfillSize.ts'
import type { Watchlist } from './ports.ts'

export interface BackfillOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange'>
  readonly watchlist: Watchlist
  readonly bounds?: BackfillBounds | undefined
}

/** Fetches ranges of blocks, one ahead of the one that is being committed. */
export interface Backfill {
  /**
   * The range that begins at `from` and ends at `target` at the latest; the range after it is begun.
   *
   * @throws what fetching threw
   */
  range(from: number, target: number): Promise<FetchedRange>
  /** Drops the range that was fetched ahead: it may be of a chain that is no more, or rest on a commit that never was. */
  forget(): void
}

/** The first range is small: nothing is known yet of how much the blocks hold. */
const FIRST_BLOCKS = 500
const BOUNDS: BackfillBounds = { leastBlocks: 1, mostBlocks: 50_000, targetLogs: 20_000 }
/** A range that holds this many times the target is cut: bounds the memory and the length of a transaction. */
const MOST_OVERSHOOT = 2

type Outcome = { readonly ok: true; readonly range: FetchedRange } | { readonly ok: false; readonly error: unknown }

interface Ahead {
  readonly from: number
  readonly to: number
  readonly outcome: Promise<Outcome>
}

export function createBackfill({ source, watchlist, bounds = BOUNDS }: BackfillOptions): Backfill {
  let blocks = Math.min(FIRST_BLOCKS, bounds.mostBlocks)
  let ahead: Ahead | null = null

  // Never rejects: the range may fail while nobody is waiting for it.
  const begin = (from: number, target: number, announced: readonly Hex[]): Ahead => {
    const request = { from, to: Math.min(target, from + blocks - 1), announced, maxLogs: bounds.targetLogs * MOST_OVERSHOOT }
    const outcome = fetchRange(source, watchlist, request).then(
      (range): Outcome => ({ ok: true, range }),
      (error: unknown): Outcome => ({ ok: false, error }),
    )
    return { from, to: request.to, outcome }
  }

  return {
    range: async (from, target) => {
      const wanted = ahead?.from === from && ahead.to <= target ? ahead : begin(from, target, [])
      ahead = null
      const outcome = await wanted.outcome
      if (!outcome.ok) throw outcome.error
      const { batch, discovered } = outcome.range
      blocks = nextRangeBlocks(batch.to.number - from + 1, batch.logs.length, bounds)
      // What this range announces is watched only once it is committed, and the next one is fetched before that.
      if (batch.to.number < target) ahead = begin(batch.to.number + 1, target, discovered)
      return outcome.range
    },
    forget: () => {
      ahead = null
    },
  }
}
