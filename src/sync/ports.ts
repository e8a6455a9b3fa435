import type { LogRangeQuery } from '#chain/logs/logRanges.ts'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog, IndexedBlock } from '#domain/block.ts'
import type { Changes, CurrentRows } from '#domain/changes.ts'
import type { CommittedBlock } from '#domain/committedBlock.ts'
import type { IndexedSource } from '#launchpads/logSource.ts'
import type { SplitRows } from '#store/rows/splitNewRows.ts'

/** A run of consecutive blocks to index at once: one block while following, a range while backfilling. */
export interface BlockBatch {
  /** The first block of the run; the cursor is at the block before it (or nothing is indexed yet). */
  readonly from: number
  /** The last block of the run: the cursor after the commit. */
  readonly to: BlockHeader
  /** The headers of every block of the run that has a log in `logs`, ascending; `to` need not be among them. */
  readonly headers: readonly BlockHeader[]
  /** Every log of the run that is understood and whose address the directory watches, those that the run itself adds included, ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** True while following: prices of the moment are stored with the trades. */
  readonly live: boolean
  /**
   * True while more than a few confirmed blocks are known to follow. What time alone changes, trades that leave a token's windows, is then left
   * to a later batch: in a busy chain it is most of what a block costs, and nobody sees it before the last one. Default false.
   */
  readonly behind?: boolean
  /** The headers of all blocks of the run, linked: each is remembered for reconciliation. Default: the last one is. */
  readonly blocks?: readonly BlockHeader[]
}

/** A batch as the chain showed it. */
export interface FetchedBatch {
  readonly batch: BlockBatch
  /** The header of the first block, which tells what the batch follows on. */
  readonly first: BlockHeader
  /** Addresses and ids of pools that this batch announces. */
  readonly discovered: readonly Hex[]
}

/** A batch of which it is known what committing it writes. */
export interface ProjectedBatch extends Omit<BlockBatch, 'logs'> {
  readonly logCount: number
  /** What it announces; to be added to the directory once it is committed. */
  readonly discoveries: readonly IndexedSource[]
  /** The batch's tokens as they were before it; one that is not among them is new. */
  readonly before: CurrentRows['tokens']
  readonly changes: Changes
  /** Which of the changes are to rows that were not there. */
  readonly split: SplitRows
  /** The end of the batch on which these changes rest; `null`: they rest on what was committed. */
  readonly after: Hex | null
}

/** So many blocks are committed together while there are more after them: nobody waits for one of them, and most of a commit's cost is its own. */
export const LONGEST_RUN_BLOCKS = 32

/** The blocks that take the place of indexed ones. */
export interface Replacement {
  /** The newest indexed block that stays; `null`: none does, and the index begins anew. */
  readonly ancestor: BlockHeader | null
  /**
   * One per block, ascending and linked, from the block after `ancestor` or from the first one to index. None: the indexed blocks are only undone,
   * which takes an `ancestor`.
   */
  readonly batches: readonly BlockBatch[]
}

/** Where the index stands after a swap. */
export function endOf({ ancestor, batches }: Replacement): BlockHeader {
  const end = batches.at(-1)?.to ?? ancestor
  if (end === null) throw new TypeError('a replacement of everything that is indexed by nothing')
  return end
}

/** Where indexing stands and where blocks go. */
export interface BlockSink {
  /**
   * The newest indexed blocks, ascending and linked by parent hash, the cursor last; empty when nothing is indexed. What was begun before is
   * decided by then: no earlier commit can turn out to have succeeded afterwards.
   */
  recentBlocks(): Promise<readonly IndexedBlock[]>
  /**
   * Decodes and projects a batch with more of them `behind` it ahead of its commit: while the database writes the one before it. Changes nothing. Left
   * out: a commit does it all.
   *
   * @param previous the batch before it, which may be committed, be about to be, or be being committed now; `null`: what is before it is committed
   */
  prepare?(batch: BlockBatch, previous: ProjectedBatch | null): Promise<ProjectedBatch>
  /**
   * Decodes and projects a batch, where that was not done ahead, and commits it in one transaction. Idempotent: a batch whose end is already the cursor is answered from what
   * the database holds, so a commit of unknown outcome is simply repeated.
   *
   * @throws the database's error, with nothing changed; `TokenwireError` `rpc_inconsistent` when the logs contradict the stored state
   */
  commit(batch: BlockBatch | ProjectedBatch): Promise<CommittedBlock>
  /**
   * Undoes every indexed block above the ancestor, or every one, and commits those that replace them, in one transaction. Every token that either side
   * touched gets a higher sequence. Idempotent as `commit`.
   *
   * @throws as `commit`; `TokenwireError` `reorg_too_deep` when more than that would have to be undone than can be
   */
  swap(replacement: Replacement): Promise<CommittedBlock>
  /**
   * Does at the cursor what batches with more of them `behind` left to a later one: the chain may have become shorter, and end there. Idempotent: when
   * nothing is left to do, it gives what the last commit changed.
   *
   * @param at the cursor
   * @throws as `commit`; `TokenwireError` `rpc_inconsistent` when the cursor is at another block
   */
  settle(at: BlockHeader): Promise<CommittedBlock>
}

/** How far announcements reach: a launchpad's contract announces a curve, and that one its pool, which announces nothing. */
export const ANNOUNCING_STEPS = 2

/** Which addresses' logs matter. It grows with what `commit` indexes. */
export interface Watchlist {
  /** The launchpads' own contracts: their logs tell which tokens and pools exist. */
  readonly contracts: readonly Address[]
  /** The first block to index. */
  readonly startBlock: number
  has(address: Address): boolean
  /** Every watched address, contracts included. */
  addresses(): readonly Address[]
  /**
   * The addresses and ids of pools that these logs, of watched addresses and of such as were discovered before, add (new tokens, curves,
   * pools). At least those that a commit of them would watch. Changes nothing.
   */
  discover(logs: readonly ChainLog[]): readonly Hex[]
  /** The ids of pools inside a Uniswap v4 PoolManager, which have no address. Left out: there are none. */
  poolIds?(): readonly Hex[]
  /** Whether logs with this first topic can mean anything, whoever emits them. Left out: all can. */
  isUnderstood?(topic: Hex | undefined): boolean
  /** Whose logs, and which, have to be fetched for these addresses and ids of pools: those that are understood. Left out: those of the addresses. */
  partsOf?(keys: readonly Hex[]): Pick<LogRangeQuery, 'addresses' | 'topics' | 'filtered'>
}
