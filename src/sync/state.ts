import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Action, BlockSpan } from './action.ts'
import type { Commit } from './commit.ts'
import type { SyncEvent } from './event.ts'
import { extendChain, type LocalChain } from './localChain.ts'
import { reconcile } from './reconcile.ts'

/** What synchronisation knows of the index. */
export type SyncState =
  /**
   * The database has to say where the index stands: at the start and after a failure. `uncertain`: a commit that failed and may be in it.
   */
  | { readonly kind: 'unknown'; readonly uncertain: Commit | null }
  /** A commit that failed is in the database after all. Its result was never emitted. */
  | { readonly kind: 'unheard'; readonly commit: Commit; readonly at: CursorState }
  | CursorState

/** The index stands at a known cursor. */
export interface CursorState {
  readonly kind: 'at'
  /** The newest indexed blocks, the cursor last; empty when nothing is indexed. */
  readonly chain: LocalChain
  /** Whether every token's windows are as of the cursor. */
  readonly settled: boolean
  /**
   * Whether the chain has the cursor: `linked` since the commit that followed it there, not compared since it was read, replaced, or
   * compared below the head of this hash.
   */
  readonly cursor: 'linked' | 'unseen' | 'replaced' | { readonly below: Hex }
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
  readonly aloneBlocks: number
}

/** Blocks committed together at most. Most of a commit's cost is the commit's own, and none of these blocks is the newest. */
export const MOST_BLOCKS_TOGETHER = 32

/**
 * What to do next, given what is indexed and where the chain ends. The first case that applies:
 *
 * 1. It is not known where the index stands: the database says.
 * 2. A commit of unknown outcome is in the database: it is repeated, which changes nothing and gives the result that was never emitted.
 * 3. The chain has another block at the cursor, or the tip shows one at an indexed height: the indexed blocks are replaced.
 * 4. The chain ends below the cursor, on the indexed blocks: the provider is behind, or a shorter fork has not grown yet. Wait.
 * 5. The cursor lies below the head, and neither block of the tip says whether the chain has it: compare it, once per head.
 * 6. Everything confirmed is indexed: what only time has changed is committed, then wait.
 * 7. The index is empty: a second answer has to show its first block. Nothing indexed ties that block to the chain, as the parent hash ties
 * later ones.
 * 8. Blocks further than `followBlocks` before the confirmed head are fetched in ranges. They can't be undone, so a second answer has to
 * show the tip.
 * 9. The first indexed block is committed alone, so that a reorg can go back to it; so are the last `aloneBlocks`. Blocks between are
 * committed together.
 *
 * @param rangeBlocks how many blocks to fetch in one range
 */
export function decide(state: SyncState, tip: ChainTip, bounds: SyncBounds, rangeBlocks: number): Action {
  if (state.kind === 'unknown') return { kind: 'readCursor' }
  if (state.kind === 'unheard') return { kind: 'repeatCommit', commit: state.commit }
  const { chain, settled } = state
  const { head, confirmed } = tip
  const cursor = chain.at(-1)
  if (cursor !== undefined) {
    if (state.cursor === 'replaced' || contradicts(tip, chain)) return { kind: 'replaceBlocks' }
    if (head.number < cursor.number) return { kind: 'wait', because: 'chainIsShorter' }
    if (head.number > cursor.number && isUnseen(state.cursor, tip, cursor)) return { kind: 'compareCursor', cursor }
  }
  const next = cursor === undefined ? bounds.startBlock : cursor.number + 1
  if (next > confirmed.number)
    return cursor === undefined || settled ? { kind: 'wait', because: 'indexed' } : { kind: 'settle', at: cursor }
  if (cursor === undefined && state.verifiedStart === null) return { kind: 'verifyStart' }
  const span = spanAt(next, confirmed.number, bounds, rangeBlocks)
  if (span.kind === 'range' && state.verifiedTip !== confirmed.hash) return { kind: 'verifyTip' }
  return { kind: 'index', span }
}

/** The blocks that are fetched together from `from` on. */
export function spanAt(
  from: number,
  confirmed: number,
  { startBlock, followBlocks, aloneBlocks }: SyncBounds,
  rangeBlocks: number,
): BlockSpan {
  const lastInRanges = confirmed - followBlocks
  if (from <= lastInRanges) return { kind: 'range', from, to: Math.min(lastInRanges, from + rangeBlocks - 1) }
  const together = Math.min(confirmed - from - aloneBlocks, MOST_BLOCKS_TOGETHER)
  if (together <= 0 || from === startBlock) return { kind: 'alone', from, to: from }
  return { kind: 'together', from, to: from + together - 1 }
}

function contradicts({ head, confirmed }: ChainTip, chain: LocalChain): boolean {
  const last = chain.at(-1)?.number ?? -1
  return [confirmed, head].some(header => header.number <= last && reconcile(chain, header).kind === 'reorg')
}

/** Whether it is open if the chain has the cursor, which lies below the head. */
function isUnseen(seen: CursorState['cursor'], { head, confirmed }: ChainTip, cursor: BlockHeader): boolean {
  if (confirmed.number === cursor.number) return false
  if (confirmed.number > cursor.number) return seen === 'unseen'
  return typeof seen !== 'object' || seen.below !== head.hash
}

/** The state after an event. */
export function afterEvent(state: SyncState, event: SyncEvent): SyncState {
  switch (event.kind) {
    case 'cursorRead': {
      const commit = state.kind === 'unknown' ? state.uncertain : null
      const at: CursorState = { kind: 'at', chain: event.blocks, settled: false, cursor: 'unseen', verifiedTip: null, verifiedStart: null }
      return commit !== null && event.blocks.at(-1)?.hash === commit.to.hash ? { kind: 'unheard', commit, at } : at
    }
    case 'cursorCompared':
      return state.kind === 'at' ? { ...state, cursor: event.isReplaced ? 'replaced' : { below: event.head } } : state
    case 'forked':
      return state.kind === 'at' ? { ...state, cursor: 'replaced' } : state
    case 'tipVerified':
      return state.kind === 'at' ? { ...state, verifiedTip: event.confirmed } : state
    case 'startVerified':
      return state.kind === 'at' ? { ...state, verifiedStart: event.block } : state
    case 'committed':
      if (state.kind === 'unheard') return { ...state.at, settled: isSettledBy(event.commit) }
      return state.kind === 'at' ? afterCommit(state, event.commit, event.blocks) : state
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
      return { ...state, chain: blocks.reduce(extendChain, state.chain), settled, cursor: 'linked' }
    case 'replace':
      return { ...state, chain: blocks, settled, cursor: 'linked' }
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
