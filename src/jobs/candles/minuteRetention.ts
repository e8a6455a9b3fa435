import type { CommitJob } from '#jobs/commitJob.ts'
import { createStepJob, type StepJobOptions } from '#jobs/stepJob.ts'
import { dropMinuteCandles } from '#store/rows/minuteCandles.ts'

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
