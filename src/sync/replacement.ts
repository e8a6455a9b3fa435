import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { liveBatch } from './fetch/follow.ts'
import { fetchCrowdedBlock, nullIfCrowded } from './fetch/oversizedBlock.ts'
import { confirmFirst } from './fetch/verifyStartBlock.ts'
import type { BlockBatch, Replacement, Watchlist } from './ports.ts'

export interface ReplacementOptions {
  readonly source: Pick<ChainSource, 'blockWithLogs' | 'headers' | 'logsInRange'>
  readonly watchlist: Watchlist
  /** The newest indexed block that stays; `null`: none does. */
  readonly ancestor: BlockHeader | null
  /** The last block to fetch; at or below `ancestor`: none is. */
  readonly to: number
  readonly genesisHash: Hex | null
}

const BLOCKS_AT_ONCE = 8

/**
 * Fetches the blocks that follow on the ancestor, or on what comes before the first block to index, each with its logs of watched addresses and of those that an earlier one of them
 * announces. What only the dropped branch announced is among them, too; the sink, which forgets it first, passes it over.
 *
 * @throws `RpcError`, `inconsistent` when the blocks are not one chain from the ancestor on: it has been replaced again meanwhile; `missing`
 * when no block stays and none would take their place
 */
export async function fetchReplacement({ source, watchlist, ancestor, to, genesisHash }: ReplacementOptions): Promise<Replacement> {
  const first = ancestor === null ? watchlist.startBlock : ancestor.number + 1
  if (ancestor === null && to < first) throw new RpcError({ kind: 'missing', what: `a confirmed block ${first}` })
  const announced = new Set<Hex>()
  const batches: BlockBatch[] = []
  let parent = ancestor
  for (let from = first; from <= to; from += BLOCKS_AT_ONCE) {
    const count = Math.min(BLOCKS_AT_ONCE, to - from + 1)
    const blocks = await Promise.all(Array.from({ length: count }, (_, index) => source.blockWithLogs(from + index).catch(nullIfCrowded)))
    for (const [index, block] of blocks.entries()) {
      const batch =
        block === null ? await fetchCrowdedBlock(source, watchlist, from + index, announced) : liveBatch(block, watchlist, announced)
      const { to: header } = batch
      if (parent === null) await confirmFirst(source, header, genesisHash)
      else if (header.parentHash !== parent.hash) {
        throw new RpcError({ kind: 'inconsistent', what: `block ${header.number} does not follow on the block before it` })
      }
      batches.push(batch)
      parent = header
    }
  }
  return { ancestor, batches }
}
