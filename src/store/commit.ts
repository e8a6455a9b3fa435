import type { Address, Hex } from '#domain/address.ts'
import type { BatchBlocks } from '#domain/batch.ts'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { AnnouncedContractRow } from '#tables/announcedContract.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import { committedAgain, committedBlock, type StateReads } from './committed.ts'
import type { Queryable } from './connection/queryable.ts'
import { LastStatements, type Transaction, type TransactionDb } from './connection/transaction.ts'
import { announceCommit } from './rows/announcement.ts'
import { stampQuotedIn } from './rows/currencies.ts'
import { beginCommit, type ChainCursor, moveCursor } from './rows/cursor.ts'
import { deferLongerCandles, foldAllMinutes, isOfMinute, longerCandlesOf } from './rows/foldMinutes.ts'
import { type Statements, sendStatements } from './rows/insertRows.ts'
import { attachMetadata } from './rows/metadata.ts'
import { splitNewRows } from './rows/splitNewRows.ts'
import { writeTokenNames } from './rows/tokenNames.ts'
import { writeTotals } from './rows/totals.ts'
import { forgetUndo, keepUndo, raiseRelaunched } from './rows/undo.ts'
import { keepValueChanges } from './rows/valueChanges.ts'
import { writeChanges } from './rows/writeChanges.ts'

export interface CommitOptions extends StateReads {
  readonly transaction: Transaction
  /** The name under which `claimDatabase` claimed the database. */
  readonly writer: string
  /** How many of the newest blocks can be undone; 0: none. */
  readonly maxReorgDepth: number
  /** The oldest block that must stay undoable while launchpads prepare to join. Default: `null`, none. */
  readonly heldBlock?: () => number | null
}

export interface BatchChanges extends BatchBlocks {
  /** The rows of `changes` as they were before the batch. A token that is not among them is new. */
  readonly before: Pick<CurrentRows, 'tokens' | 'balances'>
  readonly changes: Changes
  readonly contracts: readonly AnnouncedContractRow[]
  /** As in `BlockRow`. */
  readonly revaluedTo: Address | null
}

/** A batch that is committed at the cursor. */
export interface NextBatch extends BatchChanges {
  /** The hash of the block before the batch; `null`: nothing was indexed before. */
  readonly follows: Hex | null
}

/**
 * Commits a batch in one transaction. Idempotent: when its last block is the cursor already, the result is read from the database.
 *
 * @throws `TokenwireError` `rpc_inconsistent` when the batch does not follow the cursor, `database_taken`; the database's errors
 */
export async function commitBatch(batch: NextBatch, options: CommitOptions): Promise<CommittedBlock> {
  const { transaction, writer } = options
  return transaction(async db => {
    const { cursor, committedAtMs } = await beginCommit(db, writer)
    if (cursor !== null && isAt(cursor, batch.to)) return committedAgain(db, batch, cursor, options)
    assertFollows(batch, cursor)
    const undoFrom = undoFromAfter(batch, cursor?.undoFrom ?? null, options)
    const { undoFrom: wasUndoFrom = null, unfoldedFrom = null } = cursor ?? {}
    const isDeferring = unfoldedFrom === null && batch.mode === 'live'
    const written = await writeBatch(db, batch, { committedAtMs, undoFrom, wasUndoFrom, unfoldedFrom, isDeferring })
    return endCommit(db, batch, written, options)
  })
}

interface WriteOptions {
  readonly committedAtMs: number
  /** The oldest block that can be undone after this batch; `null`: none, and no images are kept. */
  readonly undoFrom: number | null
  /** The oldest block that could be undone before this batch; `null`: none could. */
  readonly wasUndoFrom: number | null
  /** As in `ChainCursor`. */
  readonly unfoldedFrom: number | null
  /** Whether longer candles are left to `foldMinutes` from the next block on. Default: no. */
  readonly isDeferring?: boolean
}

interface Written {
  /** The tokens that the batch changed, and those whose quote currency has another symbol or other decimals now. */
  readonly tokens: readonly Address[]
  /** Settles when the database has answered all statements. */
  readonly answered: Promise<unknown>
}

/** Writes a batch's changes and moves the cursor, inside the caller's transaction. Resolves when all statements are sent. */
export async function writeBatch(db: Queryable, batch: BatchChanges, options: WriteOptions): Promise<Written> {
  const { answered } = await sendStatements(db, statementsOf(batch, options))
  const tokens = batch.changes.tokens.map(({ address }) => address)
  const quoted = await stampQuotedIn(db, tokensWithNew(['symbol', 'decimals'], batch), options.committedAtMs, tokens)
  return { tokens: [...tokens, ...quoted], answered }
}

/** Reads the state of the changed tokens and numbers the commit: the last statements of its transaction. */
export function endCommit(
  db: TransactionDb,
  committed: Parameters<typeof committedBlock>[1],
  { tokens, answered }: Written,
  options: CommitOptions,
): LastStatements<CommittedBlock> {
  const last = [committedBlock(db, committed, tokens, options), answered, announceCommit(db, committed.to, tokens)] as const
  return new LastStatements(Promise.all(last).then(([block]) => block))
}

function* statementsOf(
  batch: BatchChanges,
  { committedAtMs, undoFrom, wasUndoFrom, unfoldedFrom, isDeferring = false }: WriteOptions,
): Statements {
  const { to, before, changes } = batch
  const longer = longerCandlesOf(changes.candles, batch.mode, unfoldedFrom)
  if (longer === 'foldFirst') yield* foldAllMinutes()
  const split = splitNewRows(longer === 'later' ? { ...changes, candles: changes.candles.filter(isOfMinute) } : changes, before)
  if (undoFrom !== null) yield* keepUndo(to.number, changes, split)
  yield* writeTotals(changes, before, to.timestamp)
  yield* writeChanges({ ...batch, split }, committedAtMs)
  yield* keepValueChanges(batch, changes, before, committedAtMs)
  yield* raiseRelaunched(changes.tokens.filter(({ address }) => !before.tokens.has(address)).map(({ address }) => address))
  yield* writeTokenNames(tokensWithNew(['name'], batch))
  yield* attachMetadata(tokensWithNew(['metadataUri', 'imageUri'], batch))
  if (wasUndoFrom !== null && undoFrom !== wasUndoFrom) yield forgetUndo(wasUndoFrom, undoFrom ?? to.number)
  yield moveCursor(to, committedAtMs, undoFrom)
  if (isDeferring) yield deferLongerCandles()
}

/** The tokens of which a batch changes one of these columns. A new token counts when one of them is not null. */
function tokensWithNew(
  columns: readonly (keyof TokenRow)[],
  { changes, before }: Pick<BatchChanges, 'changes' | 'before'>,
): readonly Address[] {
  const isChanged = (token: TokenRow) => {
    const was = before.tokens.get(token.address)
    return columns.some(column => (was?.[column] ?? null) !== token[column])
  }
  return changes.tokens.filter(isChanged).map(({ address }) => address)
}

/** The oldest block that can be undone after a batch; `null`: none can. A range and the blocks before it can't be undone. */
export function undoFromAfter(
  { mode, from, to }: BatchBlocks,
  undoFrom: number | null,
  { maxReorgDepth, heldBlock }: Pick<CommitOptions, 'maxReorgDepth' | 'heldBlock'>,
): number | null {
  if (mode === 'range' || maxReorgDepth === 0) return null
  const oldest = Math.min(to.number - maxReorgDepth + 1, heldBlock?.() ?? Number.POSITIVE_INFINITY)
  return Math.max(undoFrom ?? from, oldest)
}

export function isAt(cursor: ChainCursor, { number, hash }: Pick<BlockHeader, 'number' | 'hash'>): boolean {
  return cursor.number === number && cursor.hash === hash
}

function assertFollows({ from, follows }: NextBatch, cursor: ChainCursor | null): void {
  if (cursor === null ? follows === null : cursor.hash === follows && cursor.number === from - 1) return
  throw new TokenwireError('rpc_inconsistent', `The batch begins at block ${from} and the database is at block ${cursor?.number}.`, {
    retryable: true,
    details: { from, cursor: cursor?.number },
  })
}
