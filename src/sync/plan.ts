import type { ChainTip } from '#chain/chainTips.ts'
import type { LocalChain } from './localChain.ts'
import { LONGEST_RUN_BLOCKS } from './ports.ts'
import { reconcile } from './reconcile.ts'

/** Blocks to index, from `from` on, up to `target` in the end: one by one, or in ranges. */
export interface PlannedBlocks {
  readonly kind: 'follow' | 'backfill'
  readonly from: number
  readonly target: number
}

/** Planned blocks that are fetched and committed together. */
export interface Portion {
  /** A range is fetched with the logs of what is watched, blocks with all of their logs; a run of blocks is undone as one. */
  readonly kind: 'range' | 'run' | 'block'
  readonly from: number
  /** The last block at most. */
  readonly to: number
}

/** What is to be done next, given what is indexed and where the chain ends. */
export type Plan =
  | PlannedBlocks
  /** The chain no longer has the indexed blocks. */
  | { readonly kind: 'reorg' }
  /** The chain ends before what is indexed: the provider is behind, or it is another chain. */
  | { readonly kind: 'ahead' }
  /** Everything that is confirmed is indexed, and blocks above it that the chain, having become shorter, may have replaced or not. */
  | { readonly kind: 'look' }
  /** Everything that is confirmed is indexed. */
  | { readonly kind: 'idle' }

/**
 * This many blocks before the confirmed head are followed, not backfilled: there, where providers' answers lag and forks happen, every block
 * is held against its bloom and linked to its parent.
 */
export const FOLLOW_BLOCKS = 50

/** @param followBlocks so many blocks before the confirmed head are followed: what is indexed in ranges can't be undone */
export function plan(local: LocalChain, { head, confirmed }: ChainTip, startBlock: number, followBlocks = FOLLOW_BLOCKS): Plan {
  const cursor = local.at(-1)
  if (cursor !== undefined && confirmed.number <= cursor.number) {
    const replaced = [confirmed, head].some(header => header.number <= cursor.number && reconcile(local, header).kind === 'reorg')
    if (replaced) return { kind: 'reorg' }
    if (head.number < cursor.number) return { kind: 'ahead' }
    // Of what lies between the two headers of the tip, neither tells.
    return { kind: confirmed.number < cursor.number && cursor.number < head.number ? 'look' : 'idle' }
  }
  const next = cursor === undefined ? startBlock : cursor.number + 1
  if (next > confirmed.number) return { kind: 'idle' }
  return planBlocks(next, confirmed.number, followBlocks)
}

/** @param from not above `confirmed` */
export function planBlocks(from: number, confirmed: number, followBlocks: number): PlannedBlocks {
  const target = confirmed - followBlocks
  return from <= target ? { kind: 'backfill', from, target } : { kind: 'follow', from, target: confirmed }
}

/**
 * With what the planned blocks begin.
 *
 * @param startBlock the first block that is indexed. It is committed alone: with it the index has something to go back to
 * @param settledBlocks so many blocks before the confirmed head, and it, are committed one by one
 */
export function portionOf({ kind, from, target }: PlannedBlocks, startBlock: number, settledBlocks: number): Portion {
  if (kind === 'backfill') return { kind: 'range', from, to: target }
  const behind = target - from - settledBlocks
  if (behind <= 0 || from === startBlock) return { kind: 'block', from, to: from }
  return { kind: 'run', from, to: from + Math.min(behind, LONGEST_RUN_BLOCKS) - 1 }
}
