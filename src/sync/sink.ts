import type { Logger } from 'pino'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import { TokenwireError } from '#errors'
import { decodeBatch } from '#index/decode.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Directory } from '#launchpads/directory.ts'
import { applyBatch } from '#store/applyBatch.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { type ChainCursor, lockCursor, moveCursor, readClockMs, readRecentBlocks, readTokensUpdatedAt } from '#store/rows/cursor.ts'
import { readTokensDroppedAt, undoBlocks } from '#store/rows/undo.ts'
import { type BlockBatch, type BlockSink, endOf, LONGEST_RUN_BLOCKS, type ProjectedBatch, type Replacement } from './ports.ts'
import { projectBatch } from './projectBatch.ts'

/** How far back the local chain is given out for reconciliation, at least. */
const RECENT_BLOCKS = 512
/** A reorg that changed more tokens than this has the rest read by the actors that want them: bounds the memory. */
const MOST_SNAPSHOTS = 1_000

export interface SinkOptions {
  /** Runs the work in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T>
  /** Where rows are read outside of the transactions, to prepare a range while the one before it is written. Left out: none is. */
  readonly db?: Queryable
  readonly chainId: number
  /** The name under which the database was claimed. */
  readonly writer: string
  readonly weth: Address
  readonly adapters: readonly LaunchpadAdapter[]
  readonly directory: Directory
  /** How many of the newest blocks can be undone. Default 0: none. */
  readonly maxReorgDepth?: number
  /**
   * Whether anybody wants to be told the token's state; of the others only that they changed. Asked inside the commit: who begins to watch
   * after it is among those who were told that much. Default: everybody is.
   */
  isWatched?(token: Address): boolean
  /** USD per ETH now, or `null`. */
  ethUsd(): string | null
  /** Monotonic milliseconds. */
  now(): number
  readonly logger: Logger
}

/** Decodes, projects and commits batches of blocks. */
export function createSink(options: SinkOptions): BlockSink {
  const { db } = options
  // The deepest reorg goes back to the end of a run, which may be that much further.
  const recent = Math.max(RECENT_BLOCKS, (options.maxReorgDepth ?? 0) + LONGEST_RUN_BLOCKS)
  return {
    recentBlocks: () =>
      options.transaction(async db => {
        // The lock waits for a commit that lost its connection and is still under way at the server: before it, it could turn out either way.
        await lockCursor(db, options.writer)
        return readRecentBlocks(db, recent)
      }),
    ...(db !== undefined && {
      prepare: async (batch, previous) => {
        const ethUsd = batch.live ? options.ethUsd() : null
        const decoded = decodeBatch(batch, { ...options, announced: previous?.discoveries ?? [] })
        // Not awaited: a suspended function would hold on to the batch's logs.
        return projectBatch(db, decoded, { weth: options.weth, ethUsd, previous })
      },
    }),
    commit: batch => commitBatch(batch, options),
    swap: replacement => swapBlocks(replacement, options),
    settle: at => settleAt(at, options),
  }
}

async function commitBatch(batch: BlockBatch | ProjectedBatch, options: SinkOptions): Promise<CommittedBlock> {
  const { directory, weth, writer, maxReorgDepth = 0 } = options
  const ready = 'changes' in batch ? batch : decodeBatch(batch, options)
  const ethUsd = batch.live ? options.ethUsd() : null
  const mostSnapshots = batch.live ? Number.POSITIVE_INFINITY : 0

  const changed = await options.transaction(async db => {
    const cursor = await lockCursor(db, writer)
    // An earlier attempt at the same batch was committed, and its answer lost.
    if (cursor !== null && isAt(cursor, batch.to)) return readAgain(db, cursor, options, mostSnapshots)
    assertNext(ready, cursor)
    const committedAtMs = await readClockMs(db)
    const undoFrom = cursor?.undoFrom ?? null
    const projected = 'changes' in ready ? ready : await projectBatch(db, ready, { weth, ethUsd })
    const { tokens } = await applyBatch(db, projected, { committedAtMs, undoFrom, maxReorgDepth })
    return readChanged(db, tokens, [], options, mostSnapshots)
  })
  directory.add(ready.discoveries, batch.to.number)
  return committed(batch.to, changed, options)
}

async function swapBlocks(replacement: Replacement, options: SinkOptions): Promise<CommittedBlock> {
  const { directory, weth, writer, maxReorgDepth = 0 } = options
  const { ancestor, batches } = replacement
  const to = endOf(replacement)
  /** The last block that stays. */
  const kept = ancestor?.number ?? directory.startBlock - 1
  const branch = directory.upTo(kept)

  const changed = await options.transaction(async db => {
    const cursor = await lockCursor(db, writer)
    if (cursor !== null && isAt(cursor, to)) {
      for (const batch of batches) branch.add(branch.discoveries(batch.logs), batch.to.number)
      return readAgain(db, cursor, options, MOST_SNAPSHOTS)
    }
    await assertUndoable(db, ancestor, kept, cursor)
    const committedAtMs = await readClockMs(db)
    const undone = await undoBlocks(db, kept, committedAtMs)
    let undoFrom = cursor?.undoFrom ?? null
    // At the ancestor nothing above it is left to undo, and below it no more than before.
    if (undoFrom !== null && undoFrom > kept) undoFrom = null
    if (ancestor !== null) await moveCursor(db, ancestor, committedAtMs, undoFrom)
    const tokens = new Set(undone.changed)
    // Block by block, as they would have been followed: an address is what it was known to be then.
    for (const batch of batches) {
      const decoded = decodeBatch(batch, { ...options, directory: branch })
      const projected = await projectBatch(db, decoded, { weth, ethUsd: options.ethUsd() })
      const applied = await applyBatch(db, projected, { committedAtMs, undoFrom, maxReorgDepth })
      undoFrom = applied.undoFrom
      branch.add(decoded.discoveries, batch.to.number)
      for (const token of applied.tokens) tokens.add(token)
    }
    const dropped = undone.dropped.filter(token => !tokens.has(token))
    return readChanged(db, [...tokens], dropped, options, MOST_SNAPSHOTS)
  })
  directory.become(branch)
  return committed(to, changed, options)
}

async function settleAt(at: BlockHeader, options: SinkOptions): Promise<CommittedBlock> {
  const { directory, weth, writer, maxReorgDepth = 0 } = options
  const changed = await options.transaction(async db => {
    const cursor = await lockCursor(db, writer)
    if (cursor === null || !isAt(cursor, at)) {
      throw new TokenwireError('rpc_inconsistent', `Block ${at.number} is to be settled and the database is at block ${cursor?.number}.`, {
        retryable: true,
      })
    }
    const nothing = { events: [], discoveries: [], headers: [], logCount: 0, blocks: [], directory }
    const projected = await projectBatch(db, { from: at.number + 1, to: at, live: true, ...nothing }, { weth, ethUsd: null })
    if (projected.changes.tokens.length === 0) return readAgain(db, cursor, options, MOST_SNAPSHOTS)
    const { undoFrom } = cursor
    const { tokens } = await applyBatch(db, projected, { committedAtMs: await readClockMs(db), undoFrom, maxReorgDepth })
    return readChanged(db, tokens, [], options, MOST_SNAPSHOTS)
  })
  return committed(at, changed, options)
}

type Changed = Pick<CommittedBlock, 'tokens' | 'unread' | 'dropped'>

function committed({ number, hash, timestamp }: BlockHeader, changed: Changed, { now }: SinkOptions): CommittedBlock {
  return { number, hash, timestamp, completedAtMs: now(), ...changed }
}

async function readChanged(
  db: Queryable,
  addresses: readonly Address[],
  dropped: readonly Address[],
  { chainId, isWatched = () => true }: SinkOptions,
  mostSnapshots: number,
): Promise<Changed> {
  const watched = mostSnapshots === 0 ? [] : addresses.filter(address => isWatched(address)).slice(0, mostSnapshots)
  const tokens = watched.length === 0 ? [] : await readSnapshots(db, { chainId, addresses: watched })
  const read = new Set(watched)
  return { tokens, unread: addresses.filter(address => !read.has(address)), dropped }
}

/** What the commit at the cursor changed. */
async function readAgain(db: Queryable, cursor: ChainCursor, options: SinkOptions, mostSnapshots: number): Promise<Changed> {
  const dropped = await readTokensDroppedAt(db, cursor.committedAtMs)
  return readChanged(db, await readTokensUpdatedAt(db, cursor.committedAtMs), dropped, options, mostSnapshots)
}

function isAt(cursor: ChainCursor, { number, hash }: BlockHeader): boolean {
  return cursor.number === number && cursor.hash === hash
}

function assertNext({ from, after }: { readonly from: number; readonly after?: Hex | null }, cursor: ChainCursor | null): void {
  // Changes that rest on a batch that isn't the last one would take back what was committed since.
  const rests = (after ?? null) === null || cursor?.hash === after
  if (rests && (cursor === null || cursor.number === from - 1)) return
  throw new TokenwireError('rpc_inconsistent', `The batch begins at block ${from} and the database is at block ${cursor?.number}.`, {
    retryable: true,
    details: { from, cursor: cursor?.number },
  })
}

async function assertUndoable(db: Queryable, ancestor: BlockHeader | null, kept: number, cursor: ChainCursor | null): Promise<void> {
  const blocks = await readRecentBlocks(db, (cursor?.number ?? kept) - kept + 1)
  const [known, child] = blocks
  const stays =
    ancestor === null ? known?.number === kept + 1 : known?.hash === ancestor.hash && known.joined !== true && child !== undefined
  if (cursor === null || !stays) {
    throw new TokenwireError('rpc_inconsistent', `Block ${kept} is not an ancestor of what the database holds.`, {
      retryable: true,
    })
  }
  const { undoFrom } = cursor
  // A run of which the last blocks can be undone can be undone as a whole.
  if (undoFrom !== null && blocks.every(({ number, joined }) => number <= kept || number >= undoFrom || joined === true)) return
  throw new TokenwireError(
    'reorg_too_deep',
    `the chain has replaced ${cursor.number - kept} indexed block(s) up to block ${cursor.number}; indexing has stopped`,
    { details: { cursor: cursor.number, ancestor: kept, undoFrom } },
  )
}
