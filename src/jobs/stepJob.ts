import type { CommitJob, CommitNotice, JobDatabase } from '#jobs/commitJob.ts'
import { createJobRuns, type JobRunsOptions } from '#jobs/jobRuns.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lockCursor } from '#store/rows/cursor.ts'

export interface StepJobOptions extends Omit<JobDatabase, 'db'>, Pick<JobRunsOptions<CommitNotice>, 'logger' | 'failure'> {
  /** Does a bounded part of the work. @returns whether there may be more to do */
  step(db: Queryable): Promise<boolean>
  /** The least number of blocks between two runs. Default: it runs after each commit. */
  readonly everyBlocks?: number
}

/** Works on stored rows in steps after commits. Each step is a transaction, and the indexer's next commit may come between two steps. */
export function createStepJob({ transaction, writer, step, everyBlocks = 1, ...options }: StepJobOptions): CommitJob {
  let notBefore = 0
  const takeStep = (): Promise<boolean> =>
    transaction(async db => {
      await lockCursor(db, writer)
      return step(db)
    })

  const runs = createJobRuns<CommitNotice>({
    run: async ({ number }) => {
      while (!runs.isStopped && (await runs.commit(takeStep())));
      notBefore = number + everyBlocks
    },
    ...options,
  })

  return {
    committed: notice => {
      if (notice.number >= notBefore) runs.request(notice)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}
