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
  const target = confirmed.number - followBlocks
  return next <= target ? { kind: 'backfill', from: next, target } : { kind: 'follow', from: next, target: confirmed.number }
}
