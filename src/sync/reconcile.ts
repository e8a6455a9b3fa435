import type { BlockHeader } from '#domain/block.ts'
import { blockAt, type LocalChain } from './localChain.ts'

/** What a block of the provider's chain is to the indexed one. */
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
