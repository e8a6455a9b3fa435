import type { BlockHeader } from '#domain/block.ts'
import { blockAt, type LocalChain } from './localChain.ts'

/** What a block of the provider's chain is to the indexed one. */
export type Reconciliation =
  /** It follows the cursor. */
  | { readonly kind: 'append' }
  /** It is indexed already. */
  | { readonly kind: 'duplicate' }
  /** The blocks from `from` to `to` are missing before it. */
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  /** It is of another fork. `depth`: how many indexed blocks are not on that fork; `null`: at least one. */
  | { readonly kind: 'reorg'; readonly depth: number | null }
  /** It lies before everything that is remembered. */
  | { readonly kind: 'forgotten' }

/** Compares a header with the indexed chain by number, hash and parent hash. An empty chain takes any block. */
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
