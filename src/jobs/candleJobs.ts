import { dropMinuteCandles, foldMinutes } from '#store/rows/foldMinutes.ts'
import { type CommitJob, createStepJob, type StepJobOptions } from './commitJob.ts'

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

export interface MinuteRetentionOptions extends Pick<StepJobOptions, 'transaction' | 'writer' | 'logger'> {
  /** How many days of candles of a minute are kept; `null`: all are kept. */
  readonly days: number | null
}

const DAY_SECONDS = 86_400

/** Drops old candles of a minute. */
export function createMinuteRetention({ days, ...options }: MinuteRetentionOptions): CommitJob {
  const retention = createStepJob({
    ...options,
    step: db => dropMinuteCandles(db, (days ?? 0) * DAY_SECONDS),
    failure: 'cannot drop old candles; the next block tries again',
  })
  return days === null ? { ...retention, committed: () => undefined } : retention
}
