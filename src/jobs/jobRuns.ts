import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/logSampling.ts'
import type { CommitJob, CommitNotice } from './commitJob.ts'

export interface JobRunsOptions<Block> {
  /** Does one run, after a commit. When it rejects, the next run tries again. */
  readonly run: (block: Block) => Promise<void>
  readonly logger: Logger
  /** The log's message when a run fails. */
  readonly failure: string
  /** The most blocks until the next run, which double with each failure in a row. Default: the next commit tries again. */
  readonly maxBlocksBetween?: number
}

/** The runs of a job, one at a time, each for the newest block. */
export interface JobRuns<Block> extends Pick<CommitJob, 'settled' | 'stop'> {
  readonly isStopped: boolean
  /** Runs for this block, unless failures ask for a pause. Returns at once. */
  request(block: Block): void
  /** Returns a transaction of the run, for which `stop` then waits. */
  commit<T>(transaction: Promise<T>): Promise<T>
}

export function createJobRuns<Block extends Pick<CommitNotice, 'number'>>({
  run,
  logger,
  failure,
  maxBlocksBetween,
}: JobRunsOptions<Block>): JobRuns<Block> {
  let isStopped = false
  let notBeforeBlock = 0
  let committing: Promise<unknown> = Promise.resolve()
  const runs = coalesce<Block>(run, (err, { number }, failures) => {
    if (maxBlocksBetween !== undefined) notBeforeBlock = number + Math.min(2 ** (failures - 1), maxBlocksBetween)
    if (isLogged(failures)) logger.warn({ block: number, failures, err }, failure)
  })
  return {
    get isStopped() {
      return isStopped
    },
    request: block => {
      if (block.number >= notBeforeBlock) runs.request(block)
    },
    commit: transaction => {
      committing = transaction
      return transaction
    },
    settled: runs.settled,
    stop: async () => {
      isStopped = true
      runs.stop()
      await committing.catch(() => undefined)
    },
  }
}
