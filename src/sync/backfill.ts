import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import { type BackfillBounds, nextRangeBlocks } from './backfillSize.ts'
import { fetchRange } from './fetch/range.ts'
import type { FetchedBatch, Watchlist } from './ports.ts'

export interface BackfillOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange'>
  readonly watchlist: Watchlist
  readonly bounds?: BackfillBounds | undefined
}

/** Fetches ranges of blocks, of a size that it learns from what they hold. */
export interface Backfill {
  /** The last block of a range that begins at `from` and ends at `target` at the latest. */
  endOf(from: number, target: number): number
  /**
   * The range, or its beginning when it holds too much.
   *
   * @param announced addresses and ids of pools that earlier ranges announced and that are not committed yet: the watchlist does not know them
   * @throws what fetching threw
   */
  range(from: number, to: number, announced: readonly Hex[]): Promise<FetchedBatch>
}

/** The first range is small: nothing is known yet of how much the blocks hold, and nothing is written while it is fetched. */
const FIRST_BLOCKS = 100
const BOUNDS: BackfillBounds = { leastBlocks: 1, mostBlocks: 50_000, targetLogs: 20_000 }
/** A range that holds this many times the target is cut: bounds the memory and the length of a transaction. */
const MOST_OVERSHOOT = 2

export function createBackfill({ source, watchlist, bounds = BOUNDS }: BackfillOptions): Backfill {
  let blocks = Math.min(FIRST_BLOCKS, bounds.mostBlocks)
  return {
    endOf: (from, target) => Math.min(target, from + blocks - 1),
    range: async (from, to, announced) => {
      const range = await fetchRange(source, watchlist, { from, to, announced, maxLogs: bounds.targetLogs * MOST_OVERSHOOT })
      const { batch } = range
      blocks = nextRangeBlocks(batch.to.number - from + 1, batch.logs.length, bounds)
      return range
    },
  }
}
