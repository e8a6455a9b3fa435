import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { isLogged } from '#async/pause.ts'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { announceCommit } from '#store/rows/announcement.ts'
import { beginCommit, lockAsWriter } from '#store/rows/cursor.ts'

export type CommitNotice = Pick<CommittedBlock, 'number' | 'hash' | 'tokens' | 'unread'>

/** A background job that follows the indexer's commits. It has one run at a time. A failed run is repeated after a later commit. */
export interface CommitJob {
  /** To be called after every commit of the indexer. Returns at once. */
  committed(notice: CommitNotice): void
  settled(): Promise<void>
  /** Has the job start no further commit. Resolves when the one under way has ended. Requests under way end with `rpc.close()`. */
  stop(): Promise<void>
}

export interface JobDatabase {
  readonly db: Queryable
  /** Runs the job's transactions one at a time with the indexer's commits. */
  readonly transaction: Transaction
  /** The name under which `claimDatabase` claimed the database. */
  readonly writer: string
}

export interface CommitJobOptions extends JobDatabase {
  readonly rpc: Pick<Rpc, 'ask'>
  /** Whether indexing is far behind the chain. No run starts then, since providers may have pruned the state of such blocks. */
  isBehind(): boolean
  readonly logger: Logger
}

/**
 * Changes tokens in a commit of its own, between the commits of blocks.
 *
 * @param change returns the tokens that may have changed; `null`: it has changed nothing
 * @param nowMs the clock, in monotonic milliseconds
 * @returns the commit to publish, without states of tokens, since few of them have an actor; `null`: nothing has changed
 * @throws `TokenwireError` `database_taken` when another process has become the writer
 */
export async function commitTokens(
  { transaction, writer }: Pick<JobDatabase, 'transaction' | 'writer'>,
  nowMs: () => number,
  change: (tx: Queryable, committedAtMs: number) => Promise<readonly Address[] | null>,
): Promise<CommittedBlock | null> {
  const committed = await transaction(async tx => {
    const { cursor, committedAtMs } = await beginCommit(tx, writer)
    const changed = await change(tx, committedAtMs)
    if (changed === null || cursor === null) return null
    const unread = [...new Set(changed)]
    if (unread.length > 0) await announceCommit(tx, cursor, unread)
    return { cursor, unread }
  })
  if (committed === null || committed.unread.length === 0) return null
  const { number, hash, timestamp } = committed.cursor
  return { number, hash, timestamp, completedAtMs: nowMs(), tokens: [], unread: committed.unread, dropped: [] }
}

interface JobRunsOptions<Block> {
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
      await lockAsWriter(db, writer)
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
