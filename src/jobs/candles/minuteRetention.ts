import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/logSampling.ts'
import type { CommitJob, JobDatabase } from '#jobs/commitJob.ts'
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
  let stopped = false
  let dropping: Promise<unknown> = Promise.resolve()

  const drop = (retainedSeconds: number): Promise<boolean> =>
    transaction(async db => {
      await lockCursor(db, writer)
      return dropMinuteCandles(db, retainedSeconds)
    })

  /** Whether there may be more to drop. */
  const next = async (retainedSeconds: number): Promise<boolean> => {
    if (stopped) return false
    const one = drop(retainedSeconds)
    dropping = one
    return one
  }

  const runs = coalesce<number>(
    async retainedSeconds => {
      for (let more = true; more; ) more = await next(retainedSeconds)
    },
    (err, _, failures) => {
      if (isLogged(failures)) logger.warn({ err, failures }, 'cannot drop old candles; the next block tries again')
    },
  )

  return {
    committed: () => {
      if (days !== null && !stopped) runs.request(days * DAY_SECONDS)
    },
    settled: runs.settled,
    stop: async () => {
      stopped = true
      runs.stop()
      await dropping.catch(() => undefined)
    },
  }
}
