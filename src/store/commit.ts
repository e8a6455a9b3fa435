import { sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import type { BatchBlocks, BatchMode, BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { ANNOUNCED_CONTRACT, type AnnouncedContractRow } from '#tables/announcedContract.ts'
import { BALANCE } from '#tables/balance.ts'
import { BLOCK } from '#tables/block.ts'
import { CANDLE } from '#tables/candle.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { CURRENCY } from '#tables/currency.ts'
import { EARLY_CLASS } from '#tables/earlyClass.ts'
import { JOIN_EXIT } from '#tables/joinExit.ts'
import { MILESTONE } from '#tables/milestone.ts'
import { POOL, POOL_CREATION } from '#tables/pool.ts'
import { POOL_TICK } from '#tables/poolTick.ts'
import { type TokenRow, WRITTEN_TOKEN } from '#tables/token.ts'
import { TRADE } from '#tables/trade.ts'
import type { Queryable } from './connection/databaseSchema.ts'
import { LastStatements, type Transaction, type TransactionDb } from './connection/transaction.ts'
import { type KnownTrades, readSnapshots } from './reads/snapshots.ts'
import { announceCommit } from './rows/announcement.ts'
import { stampQuotedIn } from './rows/currencies.ts'
import { beginCommit, type ChainCursor, moveCursor, readTokensUpdatedAt } from './rows/cursor.ts'
import { deferLongerCandles, foldAllMinutes, isOfMinute, longerCandlesOf } from './rows/foldMinutes.ts'
import { insertRows, type Statements, sendStatements } from './rows/insertRows.ts'
import { attachMetadata, writeTokenNames } from './rows/metadata.ts'
import { writeTotals } from './rows/totals.ts'
import { forgetUndo, keepUndo, raiseRelaunched, readTokensDroppedAt, type Split, type SplitRows } from './rows/undo.ts'
import { keepValueChanges } from './rows/valueChanges.ts'

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
function endCommit(
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

interface StateReads {
  readonly chainId: number
  /** Whether the token has an actor. Of other tokens a commit gives only the address. Called inside the transaction. */
  isWatched(token: Address): boolean
  /** The newest trades that the writer has read already. Default: none. */
  readonly known?: KnownTrades
  /** Monotonic milliseconds, as `monotonicMs`. */
  now(): number
}

interface Committed {
  readonly to: BlockHeader
  readonly mode: BatchMode | 'reorg'
}

/** The most token states that one commit reads, which bounds its memory. Actors read the others themselves. */
const MAX_SNAPSHOTS: Readonly<Record<Committed['mode'], number>> = {
  live: Number.POSITIVE_INFINITY,
  catchUp: Number.POSITIVE_INFINITY,
  range: 0,
  reorg: 1_000,
}

/** Reads the result of a commit, inside its transaction. */
export async function committedBlock(
  db: Queryable,
  { to, mode }: Committed,
  changed: readonly Address[],
  { chainId, isWatched, known, now }: StateReads,
  dropped: readonly Address[] = [],
): Promise<CommittedBlock> {
  const limit = MAX_SNAPSHOTS[mode]
  // PostgreSQL returns the changed tokens in any order. Sorted, a commit whose answer was lost is answered in the same order again.
  const inOrder = changed.toSorted()
  const watched = limit === 0 ? [] : inOrder.filter(address => isWatched(address)).slice(0, limit)
  const tokens = watched.length === 0 ? [] : await readSnapshots(db, { chainId, addresses: watched, ...(known && { known }) })
  const read = new Set(watched)
  const { number, hash, timestamp } = to
  return { number, hash, timestamp, completedAtMs: now(), tokens, unread: inOrder.filter(address => !read.has(address)), dropped }
}

/** The result of the commit that put the cursor where it is, after its answer was lost. */
export async function committedAgain(db: Queryable, committed: Committed, cursor: ChainCursor, reads: StateReads): Promise<CommittedBlock> {
  const dropped = await readTokensDroppedAt(db, cursor.committedAtMs)
  return committedBlock(db, committed, await readTokensUpdatedAt(db, cursor.committedAtMs), reads, dropped)
}

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

/** How many of the newest headers are kept for reconciliation. */
export const KEPT_BLOCKS = 4_096

export interface WrittenBatch {
  readonly changes: Changes
  /** The balances and candles of `changes`. */
  readonly split: SplitRows
  /** The contracts that the batch's launches name and that were not known before. */
  readonly contracts: readonly AnnouncedContractRow[]
  /** As in `BlockRow`. Stored with each of the blocks. */
  readonly revaluedTo: Address | null
  /** The headers to keep for reconciliation, ascending; the last is the new cursor. */
  readonly blocks: readonly BlockHeader[]
}

/**
 * Writes all rows of a batch, inside the caller's transaction. Every token gets its next sequence: the given commit time, or one more than
 * before when that is larger.
 */
function* writeChanges(
  { changes, split: { balances, candles }, contracts, revaluedTo, blocks }: WrittenBatch,
  committedAtMs: number,
): Statements {
  const tokens = changes.tokens.map(token => ({ ...token, sequence: committedAtMs, updatedAtMs: committedAtMs }))
  yield* insertRows(WRITTEN_TOKEN, tokens, WRITTEN_TOKEN.merge)
  yield* insertRows(POOL, changes.pools, POOL.merge)
  yield* insertRows(POOL_TICK, changes.ticks, POOL_TICK.merge)
  // There is no conflict clause: a trade that is stored already means that the batch is applied twice, and must fail.
  yield* insertRows(TRADE, changes.trades)
  yield* insertRows(JOIN_EXIT, changes.joinExits)
  yield* insertRows(POOL_CREATION, changes.poolCreations)
  yield* insertRows(MILESTONE, changes.milestones)
  yield* insertRows(BALANCE, balances.added)
  yield* insertRows(BALANCE, balances.merged, BALANCE.merge)
  yield* insertRows(EARLY_CLASS, changes.earlyClasses, EARLY_CLASS.merge)
  yield* insertRows(CANDLE, candles.added)
  yield* insertRows(CANDLE, candles.merged, CANDLE.merge)
  yield* insertRows(CREATOR_FEE, changes.creatorFees, CREATOR_FEE.merge)
  yield* insertRows(ANNOUNCED_CONTRACT, contracts)
  yield* insertRows(
    CURRENCY,
    changes.currencies.map(address => ({ address, symbol: null, decimals: null, isRead: false, readAgainAtMs: null })),
    'on conflict do nothing',
  )
  // The before-images are of the rows before all of these blocks, so that only all of them can be undone.
  yield* insertRows(
    BLOCK,
    blocks.map((block, index) => ({ ...block, revaluedTo, mergedWithNext: index < blocks.length - 1 })),
  )
  const newest = blocks.at(-1)
  if (newest !== undefined) yield sql`delete from block where number <= ${newest.number - KEPT_BLOCKS}`
}

/** Separates the rows that can't be stored yet from those that may be. */
export function splitNewRows({ balances, candles }: Changes, before: Pick<CurrentRows, 'tokens' | 'balances'>): SplitRows {
  return {
    balances: split(balances, ({ token, holder }) => before.balances.get(token)?.has(holder) === true),
    // No stored candle of a token begins after the token's last price.
    candles: split(candles, ({ token, time }) => time <= (before.tokens.get(token)?.lastPriceAt ?? Number.NEGATIVE_INFINITY)),
  }
}

function split<Row>(rows: readonly Row[], mayExist: (row: Row) => boolean): Split<Row> {
  const added: Row[] = []
  const merged: Row[] = []
  for (const row of rows) (mayExist(row) ? merged : added).push(row)
  return { added, merged }
}
