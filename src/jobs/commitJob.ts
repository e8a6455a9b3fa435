import type { Logger } from 'pino'
import type { Address } from '#domain/address.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Rpc } from '#rpc/rpc.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { announceCommit } from '#store/rows/announcement.ts'
import { beginCommit } from '#store/rows/cursor.ts'

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
