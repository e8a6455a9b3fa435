import type { Logger } from 'pino'
import type { CommitJob, CommitNotice, JobDatabase } from '#jobs/commitJob.ts'
import { createJobRuns } from '#jobs/jobRuns.ts'
import { lockCursor } from '#store/rows/cursor.ts'
import { dropMinuteCandles } from '#store/rows/minuteCandles.ts'

export interface MinuteRetentionOptions extends Omit<JobDatabase, 'db'> {
  /** How many days of candles of a minute are kept; `null`: all are. */
  readonly days: number | null
  readonly logger: Logger
}

const DAY_SECONDS = 86_400

/** Drops old candles of a minute after commits, in transactions of their own, between which the indexer's next commit takes its turn. */
export function createMinuteRetention({ transaction, writer, days, logger }: MinuteRetentionOptions): CommitJob {
  const retainedSeconds = (days ?? 0) * DAY_SECONDS

  /** Whether there may be more to drop. */
  const drop = (): Promise<boolean> =>
    transaction(async db => {
      await lockCursor(db, writer)
      return dropMinuteCandles(db, retainedSeconds)
    })

  const runs = createJobRuns<CommitNotice>({
    run: async () => {
      while (!runs.isStopped && (await runs.commit(drop())));
    },
    logger,
    failure: 'cannot drop old candles; the next block tries again',
  })

  return {
    committed: notice => {
      if (days !== null) runs.request(notice)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}
