import { sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import type { BatchBlocks, BatchMode, BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { ANNOUNCED_CONTRACT, type AnnouncedContractRow } from '#tables/announcedContract.ts'
import { BALANCE } from '#tables/balance.ts'
import { BLOCK } from '#tables/block.ts'
import { CANDLE } from '#tables/candle.ts'
import { type Changes, type CurrentRows, PROJECTED } from '#tables/changes.ts'
import { CURRENCY } from '#tables/currency.ts'
import { type TokenRow, WRITTEN_TOKEN } from '#tables/token.ts'
import { LAUNCHPAD_TOTALS, TRADER } from '#tables/totals.ts'
import { VALUE_CHANGE } from '#tables/valueChange.ts'
import type { Queryable } from './connection/databaseSchema.ts'
import { LastStatements, type Transaction, type TransactionDb } from './connection/transaction.ts'
import { type KnownTrades, readSnapshots } from './reads/snapshots.ts'
import { announceCommit } from './rows/announcement.ts'
import { stampQuotedIn } from './rows/currencies.ts'
import { beginCommit, type ChainCursor, moveCursor, readTokensUpdatedAt } from './rows/cursor.ts'
import { deferLongerCandles, foldAllMinutes, isOfMinute, longerCandlesOf } from './rows/foldMinutes.ts'
import { insertRows, rowsOfTable, type Statements, sendStatements, type TableRows, writeRows } from './rows/insertRows.ts'
import { attachMetadata, writeTokenNames } from './rows/metadata.ts'
import { launchpadDifferences, makerDifferences, writeTotals } from './rows/totals.ts'
import { forgetUndo, keepUndo, raiseRelaunched, readTokensDroppedAt } from './rows/undo.ts'
import { valueChangesOf } from './rows/valueChanges.ts'

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
  const rows = rowsByTable(
    longer === 'later' ? { ...batch, changes: { ...changes, candles: changes.candles.filter(isOfMinute) } } : batch,
    committedAtMs,
  )
  const makers = makerDifferences(changes, before.balances)
  if (undoFrom !== null) yield* keepUndo(to.number, [...rows, rowsOfTable(TRADER, makers)])
  yield* writeTotals(changes.tokens, before.tokens, makers, to.timestamp)
  for (const ofTable of rows) yield* writeRows(ofTable)
  yield* addCurrencies(changes.currencies)
  yield* writeBlocks(batch)
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

const WRITTEN = { ...PROJECTED, tokens: WRITTEN_TOKEN }
const NAMES = Object.keys(PROJECTED) as (keyof typeof PROJECTED)[]

/** The rows of a batch as they are written. Each token gets its next sequence: the commit time, or one more than before if that is more. */
function rowsByTable({ changes, before, contracts, mode, to }: BatchChanges, committedAtMs: number): readonly TableRows[] {
  const tokens = changes.tokens.map(token => ({ ...token, sequence: committedAtMs, updatedAtMs: committedAtMs }))
  const rows = { ...changes, tokens }
  const split: Partial<Record<keyof typeof PROJECTED, TableRows>> = splitNewRows(changes, before)
  return [
    ...NAMES.map(name => split[name] ?? rowsOfTable(WRITTEN[name], rows[name])),
    rowsOfTable(ANNOUNCED_CONTRACT, contracts),
    rowsOfTable(LAUNCHPAD_TOTALS, launchpadDifferences(changes.tokens, before.tokens)),
    rowsOfTable(VALUE_CHANGE, valueChangesOf({ mode, to }, changes, before.tokens, committedAtMs)),
  ]
}

/** A batch's balances and candles, its largest parts besides the trades. Most of them are new. */
export function splitNewRows({ balances, candles }: Changes, before: Pick<CurrentRows, 'tokens' | 'balances'>) {
  // No stored candle of a token begins after the token's last price.
  const lastPriceAt = (token: Address) => before.tokens.get(token)?.lastPriceAt ?? Number.NEGATIVE_INFINITY
  return {
    balances: { table: BALANCE, ...split(balances, ({ token, holder }) => before.balances.get(token)?.has(holder) === true) },
    candles: { table: CANDLE, ...split(candles, ({ token, time }) => time <= lastPriceAt(token)) },
  }
}

function split<Row>(rows: readonly Row[], mayExist: (row: Row) => boolean) {
  const added: Row[] = []
  const merged: Row[] = []
  for (const row of rows) (mayExist(row) ? merged : added).push(row)
  return { added, merged }
}

function addCurrencies(addresses: readonly Address[]): Statements {
  const currencies = addresses.map(address => ({ address, symbol: null, decimals: null, isRead: false, readAgainAtMs: null }))
  return insertRows(CURRENCY, currencies, 'on conflict do nothing')
}

/** Stores the headers, ascending. The before-images are of the rows before all of these blocks, so that only all of them can be undone. */
function* writeBlocks({ blocks, revaluedTo }: Pick<BatchChanges, 'blocks' | 'revaluedTo'>): Statements {
  yield* insertRows(
    BLOCK,
    blocks.map((block, index) => ({ ...block, revaluedTo, mergedWithNext: index < blocks.length - 1 })),
  )
  const newest = blocks.at(-1)
  if (newest !== undefined) yield sql`delete from block where number <= ${newest.number - KEPT_BLOCKS}`
}
