import type { BlockHeader } from '#domain/block.ts'

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
