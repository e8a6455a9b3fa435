import type { BlockHeader } from '#domain/block.ts'

/** The newest indexed blocks, each the parent of the next; the cursor is the last. Empty when nothing is indexed. */
export type LocalChain = readonly BlockHeader[]

/** Longer than any reorg that is looked for block by block. Bounds the memory. */
export const LOCAL_CHAIN_LENGTH = 256

/** With a newly indexed block at its end. A block that does not follow the last one, as the end of a range, starts the list anew. */
export function extendChain(chain: LocalChain, { number, hash, parentHash, timestamp }: BlockHeader): LocalChain {
  const last = chain.at(-1)
  const header = { number, hash, parentHash, timestamp }
  const linked = last !== undefined && last.number + 1 === number && last.hash === parentHash
  return linked ? [...chain.slice(1 - LOCAL_CHAIN_LENGTH), header] : [header]
}

export function blockAt(chain: LocalChain, number: number): BlockHeader | undefined {
  const first = chain[0]
  return first === undefined ? undefined : chain[number - first.number]
}
