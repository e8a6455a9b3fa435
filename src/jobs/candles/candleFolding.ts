import type { CommitJob } from '#jobs/commitJob.ts'
import { createStepJob, type StepJobOptions } from '#jobs/stepJob.ts'
import { foldMinutes } from '#store/rows/foldMinutes.ts'

/** How many blocks the folding may wait after the hour has ended. Readers add the candles that are not folded yet. */
const EVERY_BLOCKS = 32

/** Folds an hour's candles of a minute into longer ones when the hour has ended. */
export function createCandleFolding(options: Pick<StepJobOptions, 'transaction' | 'writer' | 'logger'>): CommitJob {
  return createStepJob({
    ...options,
    step: foldMinutes,
    everyBlocks: EVERY_BLOCKS,
    failure: 'cannot fold candles of a minute into longer ones; a later block tries again',
  })
}
