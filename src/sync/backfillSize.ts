/** Bounds of the number of blocks that are committed at once. */
export interface BackfillBounds {
  readonly leastBlocks: number
  readonly mostBlocks: number
  /** Logs per commit to aim for. */
  readonly targetLogs: number
}

const MOST_GROWTH = 4

/** How many blocks to fetch next, after a range of `blocks` held `logs`: as many as would hold the target, at most four times as many. */
export function nextRangeBlocks(blocks: number, logs: number, { leastBlocks, mostBlocks, targetLogs }: BackfillBounds): number {
  const fitting = logs === 0 ? blocks * MOST_GROWTH : Math.floor((blocks * targetLogs) / logs)
  return Math.max(leastBlocks, Math.min(mostBlocks, fitting, blocks * MOST_GROWTH))
}
