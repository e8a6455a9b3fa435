import type { CommitJob } from '#jobs/commitJob.ts'
import { createRetention, type RetentionOptions } from '#jobs/retention.ts'
import { foldMinutes } from '#store/rows/foldMinutes.ts'

/** How far the folding may lag behind the hour. Readers add the candles that are not folded. */
const EVERY_BLOCKS = 32

/** Folds the candles of a minute of each hour into longer ones when the hour has ended. */
export function createCandleFolding(options: Pick<RetentionOptions, 'transaction' | 'writer' | 'logger'>): CommitJob {
  return createRetention({
    ...options,
    drop: foldMinutes,
    everyBlocks: EVERY_BLOCKS,
    failure: 'cannot fold candles of a minute into longer ones; a later block tries again',
  })
}
