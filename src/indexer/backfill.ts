import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainHeader } from '#chain/rawBlock.ts'
import type { Hex } from '#domain/address.ts'
import { fetchRange } from './backfillRange.ts'
import { type BackfillBounds, nextRangeBlocks } from './backfillSize.ts'
import type { BlockBatch, BlockSink, ProjectedBatch, Watchlist } from './ports.ts'

export interface BackfillOptions {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange'>
  readonly watchlist: Watchlist
  /** What the range that was fetched ahead is prepared with. */
  readonly prepare?: BlockSink['prepare']
  readonly bounds?: BackfillBounds | undefined
}

export interface BackfilledRange {
  readonly batch: BlockBatch | ProjectedBatch
  /** The header of the first block, which tells what the range follows on. */
  readonly first: ChainHeader
}

/** Fetches, and prepares, ranges of blocks, one ahead of the one that is being committed. */
export interface Backfill {
  /**
   * The range that begins at `from` and ends at `target` at the latest; the range after it is begun.
   *
   * @throws what fetching threw
   */
  range(from: number, target: number): Promise<BackfilledRange>
  /** Drops the range that was fetched ahead: it may be of a chain that is no more, or rest on a commit that never was. */
  forget(): void
}

/** The first range is small: nothing is known yet of how much the blocks hold, and nothing is written while it is fetched. */
const FIRST_BLOCKS = 100
const BOUNDS: BackfillBounds = { leastBlocks: 1, mostBlocks: 50_000, targetLogs: 20_000 }
/** A range that holds this many times the target is cut: bounds the memory and the length of a transaction. */
const MOST_OVERSHOOT = 2

type Outcome = { readonly ok: true; readonly range: PreparedRange } | { readonly ok: false; readonly error: unknown }

interface PreparedRange extends BackfilledRange {
  readonly logCount: number
  /** Addresses and ids of pools that it announces. They are watched only once it is committed, and the next range is fetched before that. */
  readonly discovered: readonly Hex[]
  /** `null`: only fetched. */
  readonly projected: ProjectedBatch | null
}

interface Ahead {
  readonly from: number
  readonly to: number
  readonly outcome: Promise<Outcome>
}

export function createBackfill({ source, watchlist, prepare, bounds = BOUNDS }: BackfillOptions): Backfill {
  let blocks = Math.min(FIRST_BLOCKS, bounds.mostBlocks)
  let ahead: Ahead | null = null

  const fetchPrepared = async (from: number, to: number, previous: PreparedRange | null): Promise<PreparedRange> => {
    const request = { from, to, announced: previous?.discovered ?? [], maxLogs: bounds.targetLogs * MOST_OVERSHOOT }
    const { batch, first, discovered } = await fetchRange(source, watchlist, request)
    const projected = (await prepare?.(batch, previous?.projected ?? null)) ?? null
    return { batch: projected ?? batch, first, logCount: batch.logs.length, discovered, projected }
  }

  // Never rejects: the range may fail while nobody is waiting for it.
  const begin = (from: number, target: number, previous: PreparedRange | null): Ahead => {
    const to = Math.min(target, from + blocks - 1)
    const outcome = fetchPrepared(from, to, previous).then(
      (range): Outcome => ({ ok: true, range }),
      (error: unknown): Outcome => ({ ok: false, error }),
    )
    return { from, to, outcome }
  }

  return {
    range: async (from, target) => {
      const wanted = ahead?.from === from && ahead.to <= target ? ahead : begin(from, target, null)
      ahead = null
      const outcome = await wanted.outcome
      if (!outcome.ok) throw outcome.error
      const { batch, logCount } = outcome.range
      blocks = nextRangeBlocks(batch.to.number - from + 1, logCount, bounds)
      if (batch.to.number < target) ahead = begin(batch.to.number + 1, target, outcome.range)
      return outcome.range
    },
    forget: () => {
      ahead = null
    },
  }
}
