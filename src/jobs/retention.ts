import type { CommitJob, CommitNotice, JobDatabase } from '#jobs/commitJob.ts'
import { createJobRuns, type JobRunsOptions } from '#jobs/jobRuns.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lockCursor } from '#store/rows/cursor.ts'

export interface RetentionOptions extends Omit<JobDatabase, 'db'>, Pick<JobRunsOptions<CommitNotice>, 'logger' | 'failure'> {
  /** Drops some of what is too old. @returns whether there may be more to drop */
  drop(db: Queryable): Promise<boolean>
  /** Default: it runs after each commit. */
  readonly everyBlocks?: number
}

/** Drops old rows after commits, in transactions of their own, between which the indexer's next commit takes its turn. */
export function createRetention({ transaction, writer, drop, everyBlocks = 1, ...options }: RetentionOptions): CommitJob {
  let notBefore = 0
  const dropSome = (): Promise<boolean> =>
    transaction(async db => {
      await lockCursor(db, writer)
      return drop(db)
    })

  const runs = createJobRuns<CommitNotice>({
    run: async ({ number }) => {
      while (!runs.isStopped && (await runs.commit(dropSome())));
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
