import type { Logger } from 'pino'
import { LEADER_WINDOWS, type LeaderWindow } from '#domain/windows.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { moveLeaders } from '#store/rows/leaders.ts'
import { type CommitJob, type CommitNotice, createJobRuns } from './commitJob.ts'

export interface LeaderCounterOptions {
  /** Runs transactions beside the indexer's commits, which write other rows. */
  readonly transaction: Transaction
  /** Whether indexing is far behind the chain, and needs the database for itself. */
  isBehind(): boolean
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly logger: Logger
}

/** The pause between two runs, so that an account that trades all the time is written once for many trades. */
const BETWEEN_RUNS_MS = 10_000

/** Counts the leaders over all tokens up to the newest final block, at most every ten seconds. */
export function createLeaderCounter({ transaction, isBehind, now, logger }: LeaderCounterOptions): CommitJob {
  let notBefore = Number.NEGATIVE_INFINITY

  const count = async (window: LeaderWindow): Promise<void> => {
    while (!runs.isStopped && (await runs.commit(transaction(db => moveLeaders(db, window)))));
  }
  const runs = createJobRuns<CommitNotice>({
    run: async () => {
      for (const window of LEADER_WINDOWS) await count(window)
      notBefore = now() + BETWEEN_RUNS_MS
    },
    logger,
    failure: 'cannot count the leaders; the next block tries again',
  })

  return {
    committed: notice => {
      if (!isBehind() && now() >= notBefore) runs.request(notice)
    },
    settled: runs.settled,
    stop: runs.stop,
  }
}
