import type { ChainTip } from '#chain/chainSource.ts'
import type { LocalChain } from '#chain/localChain.ts'
import { reconcile } from './reconcile.ts'

/** Blocks to index, from `from` on, up to `target` in the end: one by one, or in ranges. */
export interface PlannedBlocks {
  readonly kind: 'follow' | 'backfill'
  readonly from: number
  readonly target: number
}

/** What is to be done next, given what is indexed and where the chain ends. */
export type Plan =
  | PlannedBlocks
  /** The chain no longer has the indexed blocks. */
  | { readonly kind: 'reorg' }
  /** The chain ends before what is indexed: the provider is behind, or it is another chain. */
  | { readonly kind: 'ahead' }
  /** The index is further than what is confirmed, and neither the head nor the confirmed block tells whether the chain still has all of it. */
  | { readonly kind: 'beyond' }
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
    if ([confirmed, head].some(header => reconcile(local, header).kind === 'reorg')) return { kind: 'reorg' }
    if (head.number < cursor.number) return { kind: 'ahead' }
    return confirmed.number < cursor.number && head.number > cursor.number + 1 ? { kind: 'beyond' } : { kind: 'idle' }
  }
  const next = cursor === undefined ? startBlock : cursor.number + 1
  if (next > confirmed.number) return { kind: 'idle' }
  const target = confirmed.number - followBlocks
  return next <= target ? { kind: 'backfill', from: next, target } : { kind: 'follow', from: next, target: confirmed.number }
}
