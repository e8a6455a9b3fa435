import type { Address } from '#domain/address.ts'
import type { ProjectedBatch } from '#sync/ports.ts'
import type { Queryable } from './connection/queryable.ts'
import { type ChainCursor, moveCursor } from './rows/cursor.ts'
import { attachMetadata } from './rows/metadata.ts'
import { writeTotals } from './rows/totals.ts'
import { forgetUndo, keepUndo, raiseRelaunched } from './rows/undo.ts'
import { writeChanges } from './rows/writeChanges.ts'

export interface ApplyOptions {
  readonly committedAtMs: number
  /** Where the database stands before the batch. */
  readonly undoFrom: ChainCursor['undoFrom']
  readonly maxReorgDepth: number
}

export interface AppliedBatch {
  /** The tokens that it changed. */
  readonly tokens: readonly Address[]
  readonly undoFrom: ChainCursor['undoFrom']
}

/**
 * Writes what a batch changes, inside the caller's transaction. How to undo it is kept for a block that is followed, not for a range,
 * below which nothing can be undone then.
 */
export async function applyBatch(db: Queryable, batch: ProjectedBatch, options: ApplyOptions): Promise<AppliedBatch> {
  const { to, before, changes, split } = batch
  const { committedAtMs } = options
  const undoFrom = undoFromAfter(batch, options)
  if (undoFrom !== null) await keepUndo(db, to.number, changes, split)
  await writeTotals(db, changes, before, to.timestamp)
  await writeChanges(db, changes, split, committedAtMs)
  const tokens = changes.tokens.map(({ address }) => address)
  const launched = tokens.filter(address => !before.has(address))
  await raiseRelaunched(db, launched)
  await attachMetadata(db, launched)
  if (options.undoFrom !== null && undoFrom !== options.undoFrom) await forgetUndo(db, options.undoFrom, undoFrom ?? to.number)
  await moveCursor(db, to, committedAtMs, undoFrom)
  return { tokens, undoFrom }
}

/** The oldest block that can be undone after this batch. */
function undoFromAfter({ live, from, to }: ProjectedBatch, { undoFrom, maxReorgDepth }: ApplyOptions): number | null {
  // Of no block: what it changes is undone with the last one, if that can be.
  if (from > to.number) return undoFrom
  if (!live || maxReorgDepth === 0) return null
  return Math.max(undoFrom ?? from, to.number - maxReorgDepth + 1)
}
