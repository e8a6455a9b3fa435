import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { BLOCK } from '#tables/block.ts'
import { type ChangedTokens, changeLaunchpads, type LaunchpadsChange } from './changeLaunchpads.ts'
import { type BatchChanges, type CommitOptions, committedAgain, committedBlock, isAt, undoFromAfter, writeBatch } from './commit.ts'
import type { Queryable } from './connection/databaseSchema.ts'
import { announceCommit } from './rows/announcement.ts'
import { beginCommit, type ChainCursor, moveCursor, readRecentBlocks } from './rows/cursor.ts'
import { longerCandlesOf } from './rows/foldMinutes.ts'
import { countReorg, undoBlocks } from './rows/undo.ts'

export interface BlockReplacement<Batch extends { readonly to: BlockHeader }> {
  /** The newest indexed block that stays; `null`: no block stays. */
  readonly ancestor: BlockHeader | null
  /** The number of the block before the first replaced one. */
  readonly kept: number
  readonly to: BlockHeader
  /** Ascending and linked. The last one is `live`. */
  readonly batches: readonly Batch[]
  /** Computes a batch's changes. Called in order, each time after the batch before is written. */
  project(db: Queryable, batch: Batch): Promise<BatchChanges>
  /** Changes what is stored of the blocks up to `ancestor`, where the chain's blocks stay the same. Keeps no before-images. */
  readonly change?: (db: Queryable, committedAtMs: number) => Promise<ChangedTokens>
}

/**
 * Undoes the indexed blocks above the ancestor and commits their replacements, in one transaction. Every token that either branch touched
 * gets a higher sequence. Idempotent.
 *
 * @throws as `commitBatch`; `TokenwireError` `reorg_too_deep` when more blocks would have to be undone than can be
 */
export async function replaceBlocks<Batch extends { readonly to: BlockHeader }>(
  { ancestor, kept, to, batches, project, change }: BlockReplacement<Batch>,
  options: CommitOptions,
): Promise<CommittedBlock> {
  const { transaction, writer } = options
  return transaction(async db => {
    const { cursor, committedAtMs } = await beginCommit(db, writer)
    if (change === undefined && cursor !== null && isAt(cursor, to)) return committedAgain(db, { to, mode: 'reorg' }, cursor, options)
    if (change !== undefined) assertSame(cursor, to)
    // A change at the cursor undoes nothing.
    if (batches.length > 0 || change === undefined) await assertUndoable(db, ancestor, kept, cursor)
    const undone = await undoBlocks(db, kept, committedAtMs, change === undefined)
    // If even the oldest undoable block is now undone, no block below it can be undone.
    let undoFrom = cursor?.undoFrom ?? null
    if (undoFrom !== null && undoFrom > kept) undoFrom = null
    let unfoldedFrom = cursor?.unfoldedFrom ?? null
    if (change !== undefined) [undoFrom, unfoldedFrom] = [null, null]
    if (ancestor !== null) await moveCursor(ancestor, committedAtMs, undoFrom).execute(db)
    const moved = await change?.(db, committedAtMs)
    const gone = new Set(moved?.dropped)
    const changed = new Set<Address>([...undone.changed, ...(moved?.changed ?? [])].filter(token => !gone.has(token)))
    for (const batch of batches) {
      const projected = await project(db, batch)
      const wasUndoFrom = undoFrom
      undoFrom = undoFromAfter(projected, undoFrom, options)
      const { tokens, answered } = await writeBatch(db, projected, { committedAtMs, undoFrom, wasUndoFrom, unfoldedFrom })
      await answered
      if (longerCandlesOf(projected.changes.candles, projected.mode, unfoldedFrom) === 'foldFirst') unfoldedFrom = null
      for (const token of tokens) changed.add(token)
    }
    const dropped = [...new Set([...undone.dropped, ...gone])].filter(token => !changed.has(token))
    const [committed] = await Promise.all([
      committedBlock(db, { to, mode: 'reorg' }, [...changed], options, dropped),
      announceCommit(db, to, moved === undefined ? [...changed] : null, dropped),
    ])
    return committed
  })
}

/**
 * Replaces all that is indexed by a side index of every launchpad, when the chain no longer has the indexed blocks and they can't be
 * undone. Afterwards the index stands at the newest block of the side index. What readers have read of blocks that only one of the two
 * had is void, and every token has a higher sequence.
 *
 * @throws as `commitBatch`
 */
export async function takeOverSide(change: LaunchpadsChange, schema: string, options: CommitOptions): Promise<CommittedBlock> {
  return options.transaction(async db => {
    const { committedAtMs } = await beginCommit(db, options.writer)
    const came = sql.id(schema, 'block')
    const { rows } = await sql<BlockHeader & { readonly fork: number }>`
      select number, hash, parent_hash as "parentHash", timestamp,
        (select coalesce(max(number), 0) from block join ${came} as came using (number, hash)) as fork
      from ${came} order by number desc limit 1`.execute(db)
    const [to] = rows
    if (to === undefined) throw new TokenwireError('rpc_inconsistent', 'The side index has no block.', { retryable: true })
    await countReorg(db, to.fork + 1)
    await moveCursor(to, committedAtMs, null).execute(db)
    await sql`delete from index_totals`.execute(db)
    const { changed, dropped } = await changeLaunchpads(db, change, committedAtMs)
    await sql`delete from block where number > ${to.fork}`.execute(db)
    const columns = sql.join(BLOCK.columns.map(({ name }) => sql.id(name)))
    await sql`insert into block (${columns}) select ${columns} from ${came} where number > ${to.fork}`.execute(db)
    await sql`update chain_state set value_changes_from = ${to.number + 1}`.execute(db)
    const committed = await committedBlock(db, { to, mode: 'reorg' }, changed, options, dropped)
    await announceCommit(db, to, null)
    return committed
  })
}

/** @throws `TokenwireError` `rpc_inconsistent` when another commit came between, or the chain has other blocks than the index */
function assertSame(cursor: ChainCursor | null, to: BlockHeader): void {
  if (cursor !== null && isAt(cursor, to)) return
  throw new TokenwireError('rpc_inconsistent', `The chain's block ${to.number} is not the newest indexed one.`, { retryable: true })
}

async function assertUndoable(db: Queryable, ancestor: BlockHeader | null, kept: number, cursor: ChainCursor | null): Promise<void> {
  const blocks = await readRecentBlocks(db, (cursor?.number ?? kept) - kept + 1)
  const [known, child] = blocks
  const stays =
    ancestor === null ? known?.number === kept + 1 : known?.hash === ancestor.hash && !known.mergedWithNext && child !== undefined
  if (cursor === null || !stays) {
    throw new TokenwireError('rpc_inconsistent', `Block ${kept} is not an ancestor of what the database holds.`, { retryable: true })
  }
  const { undoFrom } = cursor
  // Blocks that were committed together are undone together, if the last of them can be.
  if (undoFrom !== null && blocks.every(({ number, mergedWithNext }) => number <= kept || number >= undoFrom || mergedWithNext)) return
  throw reorgTooDeep(`${cursor.number - kept} indexed block(s) up to block ${cursor.number}`, {
    cursor: cursor.number,
    ancestor: kept,
    undoFrom,
  })
}

/** @param blocks the replaced blocks, in words */
export function reorgTooDeep(blocks: string, details: Readonly<Record<string, unknown>>): TokenwireError {
  const remedy = 'REBUILD_ON_DEEP_REORG=true or npm run launchpads -- rebuild builds the index anew while this one is served'
  return new TokenwireError('reorg_too_deep', `the chain has replaced ${blocks}; indexing has stopped: ${remedy}`, { details })
}
