import type { Address } from '#domain/address.ts'
import type { BatchMode } from '#domain/batch.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { Queryable } from './connection/queryable.ts'
import type { KnownTrades } from './reads/knownTrades.ts'
import { readSnapshots } from './reads/snapshots.ts'
import { type ChainCursor, readTokensUpdatedAt } from './rows/cursor.ts'
import { readTokensDroppedAt } from './rows/undo.ts'

export interface StateReads {
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
