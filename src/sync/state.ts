import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BatchBlocks, BatchMode, BlockHeader, ChainLog } from '#domain/block.ts'
import type { IndexedSource } from '#launchpads/logSource.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { NextBatch } from '#store/commit.ts'

/** What sync knows about the index. */
export type SyncState =
  /**
   * The cursor has to be read from the database: at the start and after a failure. `uncertain`: a commit that failed and may be in it.
   */
  | { readonly kind: 'unknown'; readonly uncertain: Commit | null }
  /** A commit that failed is in the database after all, and its result was never emitted. */
  | { readonly kind: 'unemitted'; readonly commit: Commit; readonly after: CursorState }
  | CursorState

/** The index stands at a known cursor. */
export interface CursorState {
  readonly kind: 'known'
  /** The newest indexed blocks, the cursor last; empty when nothing is indexed. */
  readonly chain: LocalChain
  /** Whether every token's windows are as of the cursor. */
  readonly settled: boolean
  /**
   * Whether the chain has the cursor. `linked`: it had when the cursor was committed. `unknown`: the cursor was read from the database and
   * not compared yet. `replaced`: the chain has another block there. `belowHead`: compared, and on the chain that ends with this head.
   */
  readonly onChain: 'linked' | 'unknown' | 'replaced' | { readonly belowHead: Hex }
  /** The hash of the confirmed block that a second answer has shown. */
  readonly verifiedTip: Hex | null
  /** The block with which an empty index begins, once a second answer has shown it. */
  readonly verifiedStart: BlockHeader | null
}

export interface SyncBounds {
  /** The first block to index. */
  readonly startBlock: number
  /** This many blocks before the confirmed head are followed, not fetched in ranges: providers' answers lag there and forks happen. */
  readonly followBlocks: number
  /** This many blocks before the confirmed head, and it, are committed one by one. */
  readonly liveBlocks: number
}

/** Blocks of one `catchUp` batch at most: most of a commit's cost is the same for one block as for many. */
export const MAX_CATCH_UP_BLOCKS = 32

/**
 * What to do next, given what is indexed and where the chain ends. The first case that applies:
 *
 * 1. The cursor is not known: read it from the database.
 * 2. A commit of unknown outcome is in the database: it is repeated, which changes nothing and gives the result that was never emitted.
 * 3. The chain has another block at the cursor, or the tip shows one at an indexed height: the indexed blocks are replaced.
 * 4. The chain ends below the cursor, on the indexed blocks: the provider is behind, or a shorter fork has not grown yet. Wait.
 * 5. The cursor lies below the head, and neither block of the tip says whether the chain has it: compare it, once per head.
 * 6. Everything confirmed is indexed: what only time has changed is committed, then wait.
 * 7. The index is empty: a second answer has to show its first block. Nothing indexed ties that block to the chain, as the parent hash ties
 * later ones.
 * 8. Blocks further than `followBlocks` before the confirmed head are fetched in ranges. They can't be undone, so a second answer has to
 * show the tip.
 * 9. The first indexed block is committed alone, so that a reorg can go back to it; so are the last `liveBlocks`. Blocks between are
 * committed together.
 *
 * @param rangeBlocks how many blocks to fetch in one range
 */
export function decide(state: SyncState, tip: ChainTip, bounds: SyncBounds, rangeBlocks: number): Action {
  if (state.kind === 'unknown') return { kind: 'readCursor' }
  if (state.kind === 'unemitted') return { kind: 'repeatCommit', commit: state.commit }
  const { chain, settled } = state
  const { head, confirmed } = tip
  const cursor = chain.at(-1)
  if (cursor !== undefined) {
    if (state.onChain === 'replaced' || contradicts(tip, chain)) return { kind: 'replaceBlocks' }
    if (head.number < cursor.number) return { kind: 'wait', because: 'chainIsShorter' }
    if (head.number > cursor.number && isUncompared(state.onChain, tip, cursor)) return { kind: 'compareCursor', cursor }
  }
  const next = cursor === undefined ? bounds.startBlock : cursor.number + 1
  if (next > confirmed.number)
    return cursor === undefined || settled ? { kind: 'wait', because: 'indexed' } : { kind: 'settle', at: cursor }
  if (cursor === undefined && state.verifiedStart === null) return { kind: 'verifyStart' }
  const span = spanAt(next, confirmed.number, bounds, rangeBlocks)
  if (span.mode === 'range' && state.verifiedTip !== confirmed.hash) return { kind: 'verifyTip' }
  return { kind: 'index', span }
}

/** The next span, from the block `from` on. */
export function spanAt(
  from: number,
  confirmed: number,
  { startBlock, followBlocks, liveBlocks }: SyncBounds,
  rangeBlocks: number,
): BlockSpan {
  const lastInRanges = confirmed - followBlocks
  if (from <= lastInRanges) return { mode: 'range', from, to: Math.min(lastInRanges, from + rangeBlocks - 1) }
  const blocks = Math.min(confirmed - from - liveBlocks, MAX_CATCH_UP_BLOCKS)
  if (blocks <= 0 || from === startBlock) return { mode: 'live', from, to: from }
  return { mode: 'catchUp', from, to: from + blocks - 1 }
}

function contradicts({ head, confirmed }: ChainTip, chain: LocalChain): boolean {
  const last = chain.at(-1)?.number ?? -1
  return [confirmed, head].some(header => header.number <= last && reconcile(chain, header) === 'reorg')
}

/**
 * Whether a cursor below the head still has to be compared with the chain. Cases:
 *
 * 1. The cursor is the confirmed block, which was just compared.
 * 2. It is below: once compared, later blocks have to follow it.
 * 3. It is above, where the chain may be replaced without the tip showing it: it is compared for each head.
 */
function isUncompared(onChain: CursorState['onChain'], { head, confirmed }: ChainTip, cursor: BlockHeader): boolean {
  if (confirmed.number === cursor.number) return false
  if (confirmed.number > cursor.number) return onChain === 'unknown'
  return typeof onChain !== 'object' || onChain.belowHead !== head.hash
}

/** The state after an event. */
export function afterEvent(state: SyncState, event: SyncEvent): SyncState {
  switch (event.kind) {
    case 'cursorRead': {
      const commit = state.kind === 'unknown' ? state.uncertain : null
      const after: CursorState = {
        kind: 'known',
        chain: event.blocks,
        settled: false,
        onChain: 'unknown',
        verifiedTip: null,
        verifiedStart: null,
      }
      return commit !== null && event.blocks.at(-1)?.hash === commit.to.hash ? { kind: 'unemitted', commit, after } : after
    }
    case 'cursorCompared':
      return state.kind === 'known' ? { ...state, onChain: event.isReplaced ? 'replaced' : { belowHead: event.head } } : state
    case 'forked':
      return state.kind === 'known' ? { ...state, onChain: 'replaced' } : state
    case 'tipVerified':
      return state.kind === 'known' ? { ...state, verifiedTip: event.confirmed } : state
    case 'startVerified':
      return state.kind === 'known' ? { ...state, verifiedStart: event.block } : state
    case 'committed':
      if (state.kind === 'unemitted') return { ...state.after, settled: isSettledBy(event.commit) }
      return state.kind === 'known' ? afterCommit(state, event.commit, event.blocks) : state
    case 'commitFailed':
      return { kind: 'unknown', uncertain: event.commit }
    case 'failed':
      return state.kind === 'unknown' ? state : { kind: 'unknown', uncertain: null }
    case 'gaveUp':
    case 'polling':
    case 'tip':
    case 'tipFailed':
    case 'decided':
      return state
  }
}

function afterCommit(state: CursorState, commit: Commit, blocks: readonly BlockHeader[]): SyncState {
  const settled = isSettledBy(commit)
  switch (commit.kind) {
    case 'batch':
      return { ...state, chain: blocks.reduce(extendChain, state.chain), settled, onChain: 'linked' }
    case 'replace':
      return { ...state, chain: blocks, settled, onChain: 'linked' }
    case 'settle':
      return { ...state, settled }
  }
}

/** Whether a commit leaves every token's windows as of its last block. */
function isSettledBy(commit: Commit): boolean {
  switch (commit.kind) {
    case 'batch':
      return commit.batch.mode === 'live'
    case 'replace':
      return commit.replacement.batches.length > 0
    case 'settle':
      return true
  }
}

/** What to do next. */
export type Action =
  | { readonly kind: 'readCursor' }
  | { readonly kind: 'repeatCommit'; readonly commit: Commit }
  | { readonly kind: 'compareCursor'; readonly cursor: BlockHeader }
  | { readonly kind: 'verifyTip' }
  | { readonly kind: 'verifyStart' }
  | { readonly kind: 'replaceBlocks' }
  | { readonly kind: 'index'; readonly span: BlockSpan }
  | { readonly kind: 'settle'; readonly at: BlockHeader }
  /** There is nothing to do before the next tip. `chainIsShorter`: the chain ends below the cursor. */
  | { readonly kind: 'wait'; readonly because: 'indexed' | 'chainIsShorter' }

/** Something to commit. Repeated after a failure, it changes nothing more and gives the same result. */
export type Commit =
  | { readonly kind: 'batch'; readonly to: BlockHeader; readonly batch: ProjectedBatch }
  /** `depth`: how many indexed blocks are replaced. */
  | { readonly kind: 'replace'; readonly to: BlockHeader; readonly replacement: Replacement; readonly depth: number }
  /** Brings everything that time alone changes up to the time of the cursor. */
  | { readonly kind: 'settle'; readonly to: BlockHeader }

/** What is ready to be committed, and the indexed blocks to remember after it, the cursor last. */
export interface ReadyCommit {
  readonly kind: 'commit'
  readonly commit: Commit
  readonly blocks: readonly BlockHeader[]
}

/** What happened. State and health follow from events alone. */
export type SyncEvent =
  /** The end of the chain is being asked for. */
  | { readonly kind: 'polling' }
  | { readonly kind: 'tip'; readonly tip: ChainTip }
  | { readonly kind: 'tipFailed'; readonly error: unknown }
  /** What is done next. */
  | { readonly kind: 'decided'; readonly action: Action; readonly tip: ChainTip }
  /** The cursor was read from the database: the newest indexed blocks, the cursor last. */
  | { readonly kind: 'cursorRead'; readonly blocks: readonly BlockHeader[] }
  /** The chain was asked for the block at the cursor's height, below this head. */
  | { readonly kind: 'cursorCompared'; readonly head: Hex; readonly isReplaced: boolean }
  /** A second answer has shown the tip's confirmed block. */
  | { readonly kind: 'tipVerified'; readonly confirmed: Hex }
  /** A second answer has shown the block with which the index begins, together with the chain's first block. */
  | { readonly kind: 'startVerified'; readonly block: BlockHeader }
  /** The next block of the chain does not follow the cursor. */
  | { readonly kind: 'forked' }
  /** `blocks`: the indexed blocks to remember after the commit, the cursor last. */
  | { readonly kind: 'committed'; readonly commit: Commit; readonly block: CommittedBlock; readonly blocks: readonly BlockHeader[] }
  /** A commit failed. It may be in the database. */
  | { readonly kind: 'commitFailed'; readonly commit: Commit }
  /** A step failed, for the n-th time in a row (`attempt`, from 1), and is repeated. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly attempt: number; readonly retryInMs: number }
  /** Indexing has ended: only a person can mend what is wrong. */
  | { readonly kind: 'gaveUp'; readonly error: unknown }

/** The newest indexed blocks, each the parent of the next; the cursor is the last. Empty when nothing is indexed. */
export type LocalChain = readonly BlockHeader[]

/** How many blocks stay in memory as new ones are indexed. A reorg's ancestor is looked for in the database, which keeps more. */
export const LOCAL_CHAIN_LENGTH = 256

/**
 * The chain with a newly indexed block at its end. A block that does not follow the last one, as the end of a range, starts the list anew.
 */
export function extendChain(chain: LocalChain, { number, hash, parentHash, timestamp }: BlockHeader): LocalChain {
  const last = chain.at(-1)
  const header = { number, hash, parentHash, timestamp }
  const linked = last !== undefined && last.number + 1 === number && last.hash === parentHash
  return linked ? [...chain.slice(1 - LOCAL_CHAIN_LENGTH), header] : [header]
}

/** `undefined`: the block is not among the remembered ones. */
export function blockAt(chain: LocalChain, number: number): BlockHeader | undefined {
  const first = chain[0]
  return first === undefined ? undefined : chain[number - first.number]
}

/** How a block of the provider's chain relates to the indexed chain. */
export type Reconciliation =
  /** It follows the cursor. */
  | 'append'
  /** It is indexed already. */
  | 'duplicate'
  /** Blocks before it are missing. */
  | 'gap'
  /** It is of another fork, which replaces indexed blocks. */
  | 'reorg'
  /** It lies before the indexed blocks that are remembered. */
  | 'forgotten'

/** Compares a header with the indexed chain by number, hash and parent hash. An empty chain takes any block. */
export function reconcile(local: LocalChain, header: Pick<BlockHeader, 'number' | 'hash' | 'parentHash'>): Reconciliation {
  const cursor = local.at(-1)
  if (cursor === undefined) return 'append'
  if (header.number > cursor.number + 1) return 'gap'
  if (blockAt(local, header.number)?.hash === header.hash) return 'duplicate'
  const parent = blockAt(local, header.number - 1)
  if (parent === undefined) return blockAt(local, header.number) === undefined ? 'forgotten' : 'reorg'
  return parent === cursor && parent.hash === header.parentHash ? 'append' : 'reorg'
}

/** Consecutive blocks for one batch. */
export interface BlockSpan {
  readonly mode: BatchMode
  readonly from: number
  /** The last block at most. */
  readonly to: number
}

/** A batch as the chain showed it. */
export interface FetchedBatch extends BatchBlocks {
  /** The headers of the blocks that have logs in `logs`, ascending. */
  readonly headers: readonly BlockHeader[]
  /** The understood logs of watched addresses and of addresses that this batch announces, ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
  /** Addresses and pool ids that the logs announce. */
  readonly announced: readonly Hex[]
}

/** A batch with the rows that its commit writes. */
export interface ProjectedBatch extends NextBatch {
  readonly logCount: number
  /** Added to the directory after the commit. */
  readonly discoveries: readonly IndexedSource[]
}

/** The blocks that take the place of indexed ones after a reorg. */
export interface Replacement {
  /** The newest indexed block that stays; `null`: none does, and the index begins anew. */
  readonly ancestor: BlockHeader | null
  /**
   * Ascending and linked, from the block after `ancestor` or from the start block. The last one is `live`. Empty: the replaced blocks are
   * only undone, which requires an `ancestor`.
   */
  readonly batches: readonly FetchedBatch[]
}

/** The block at which the index stands after the replacement. */
export function endOf({ ancestor, batches }: Replacement): BlockHeader {
  const end = batches.at(-1)?.to ?? ancestor
  if (end === null) throw new TypeError('a replacement of everything that is indexed by nothing')
  return end
}
