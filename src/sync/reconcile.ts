import type { BlockHeader } from '#domain/block.ts'
import { blockAt, type LocalChain } from './localChain.ts'

/** What a block of the provider's chain is to the indexed one. */
export type Reconciliation =
  /** The next one. */
  | { readonly kind: 'append' }
  /** Indexed already. */
  | { readonly kind: 'duplicate' }
  /** Further on: the blocks from `from` to `to` are missing between. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  /** Of another fork. `depth`: how many indexed blocks are not on it, when this one block tells; else at least one is. */
  | { readonly kind: 'reorg'; readonly depth: number | null }
  /** Before everything that is remembered: nothing can be said. */
  | { readonly kind: 'forgotten' }

/** Compares a header with the local chain by number, hash and parent hash. An empty local chain takes any block. */
export function reconcile(local: LocalChain, header: Pick<BlockHeader, 'number' | 'hash' | 'parentHash'>): Reconciliation {
  const cursor = local.at(-1)
  if (cursor === undefined) return { kind: 'append' }
  if (header.number > cursor.number + 1) return { kind: 'gap', from: cursor.number + 1, to: header.number - 1 }
  if (blockAt(local, header.number)?.hash === header.hash) return { kind: 'duplicate' }
  const parent = blockAt(local, header.number - 1)
  if (parent === undefined) return blockAt(local, header.number) === undefined ? { kind: 'forgotten' } : { kind: 'reorg', depth: null }
  if (parent.hash !== header.parentHash) return { kind: 'reorg', depth: null }
  return parent === cursor ? { kind: 'append' } : { kind: 'reorg', depth: cursor.number - parent.number }
}
