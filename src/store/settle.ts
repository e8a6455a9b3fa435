import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { type BatchChanges, type CommitOptions, endCommit, isAt, writeBatch } from './commit.ts'
import { committedAgain } from './committed.ts'
import type { Queryable } from './connection/queryable.ts'
import { beginCommit } from './rows/cursor.ts'

export interface Settlement {
  /** The block of the cursor. */
  readonly at: BlockHeader
  /** Computes the changes that the passing of time alone has made up to the cursor. */
  project(db: Queryable): Promise<BatchChanges>
}

/**
 * Commits at the cursor the changes that `catchUp` and `range` batches have put off. A reorg undoes them together with the last block.
 * Idempotent.
 *
 * @throws `TokenwireError` `rpc_inconsistent` when the cursor is at another block; as `commitBatch`
 */
export async function settle({ at, project }: Settlement, options: CommitOptions): Promise<CommittedBlock> {
  return options.transaction(async db => {
    const { cursor, committedAtMs } = await beginCommit(db, options.writer)
    if (cursor === null || !isAt(cursor, at)) {
      throw new TokenwireError('rpc_inconsistent', `Block ${at.number} is to be settled and the database is at block ${cursor?.number}.`, {
        retryable: true,
      })
    }
    const batch = await project(db)
    if (batch.changes.tokens.length === 0) return committedAgain(db, batch, cursor, options)
    const { undoFrom, unfoldedFrom } = cursor
    return endCommit(db, batch, await writeBatch(db, batch, { committedAtMs, undoFrom, wasUndoFrom: undoFrom, unfoldedFrom }), options)
  })
}
