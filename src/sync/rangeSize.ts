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
export function firstRangeBlocks({ maxBlocks }: RangeBounds): number {
  return Math.min(FIRST_RANGE_BLOCKS, maxBlocks)
}

/** As many blocks as would hold the target at the density of the last range, and at most four times as many as it had. */
export function nextRangeBlocks(blocks: number, logs: number, { minBlocks, maxBlocks, targetLogs }: RangeBounds): number {
  const fitting = logs === 0 ? blocks * MAX_RANGE_GROWTH : Math.floor((blocks * targetLogs) / logs)
  return Math.max(minBlocks, Math.min(maxBlocks, fitting, blocks * MAX_RANGE_GROWTH))
}

/** A range with more logs is cut. */
export function maxRangeLogs({ targetLogs }: RangeBounds): number {
  return targetLogs * CUT_AT_TARGETS
}
