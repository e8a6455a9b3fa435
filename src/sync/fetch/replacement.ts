import type { BlockWithLogs } from '#chain/block.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { inconsistent, missing } from '#rpc/rpcFault.ts'
import type { FetchedBatch } from '#sync/prepareBatch.ts'
import { batchOf, type PastWatchlist, type Watchlist } from './span.ts'

/** The blocks that take the place of indexed ones after a reorg. */
export interface Replacement {
  /** The newest indexed block that stays; `null`: none does, and the index begins anew. */
  readonly ancestor: BlockHeader | null
  /**
   * Ascending and linked, from the block after `ancestor` or from the start block. The last one is `live`. Empty: the replaced blocks are
   * only undone, which requires an `ancestor`.
   */
  readonly batches: readonly FetchedBatch[]
}

/** The block at which the index stands after the replacement. */
export function endOf({ ancestor, batches }: Replacement): BlockHeader {
  const end = batches.at(-1)?.to ?? ancestor
  if (end === null) throw new TypeError('a replacement of everything that is indexed by nothing')
  return end
}

export interface ReplacementOptions {
  readonly source: Pick<ChainSource, 'blockWithLogs' | 'headers'>
  readonly watchlist: Watchlist
  readonly ancestor: BlockHeader | null
  /** The last block to fetch. If it is not above `ancestor`, no block is fetched. */
  readonly to: number
  readonly genesisHash: Hex
  /** The first blocks above `ancestor`, which were fetched before. Default: none. */
  readonly fetched?: readonly FetchedBatch[]
}

const BLOCKS_AT_ONCE = 8

/**
 * Fetches the blocks from the ancestor, or from the start block, to `to`. Only the last one is committed alone: a reorg that leaves between
 * earlier ones replaces up to seven blocks more.
 *
 * @throws `RpcError` `inconsistent` when the blocks are not one chain from the ancestor on: it was replaced again meanwhile; `missing` when
 * no block stays and none takes their place
 */
export async function fetchReplacement({
  source,
  watchlist,
  ancestor,
  to,
  genesisHash,
  fetched = [],
}: ReplacementOptions): Promise<Replacement> {
  const first = ancestor === null ? watchlist.startBlock : ancestor.number + 1
  if (ancestor === null && to < first) throw missing(`a confirmed block ${first}`)
  // The watchlist without the replaced blocks: a token that both branches launch may have another pool on each, and a token that is still
  // known is not announced again.
  const known = watchlist.upTo(first - 1)
  const announced = new Set<Hex>(fetched.flatMap(batch => batch.announced))
  const batches = [...fetched]
  let parent = batches.at(-1)?.to ?? ancestor
  for (let from = parent === null ? first : parent.number + 1; from <= to; ) {
    // The index can go back to its first block, so that one is committed alone.
    const count = parent === null ? 1 : Math.min(BLOCKS_AT_ONCE, to - from + 1)
    const blocks = await Promise.all(Array.from({ length: count }, (_, index) => source.blockWithLogs(from + index)))
    for (const { header } of blocks) {
      if (parent === null) {
        const { hash } = await verifyStartBlock(source, header.number, genesisHash)
        if (hash !== header.hash) throw inconsistent(`two answers to what block ${header.number} is`)
      } else if (header.parentHash !== parent.hash) {
        throw inconsistent(`block ${header.number} does not follow the block before it`)
      }
      parent = header
    }
    from += count
    batches.push(...batchesOf(blocks, from > to, known, announced))
  }
  return { ancestor, batches }
}

/** The newest block is committed alone, and the others together. */
export function batchesOf(
  blocks: readonly BlockWithLogs[],
  isNewest: boolean,
  known: PastWatchlist,
  announced: Set<Hex>,
): readonly FetchedBatch[] {
  const newest = isNewest ? blocks.at(-1) : undefined
  const [first, ...others] = isNewest ? blocks.slice(0, -1) : blocks
  return [
    ...(first === undefined ? [] : [batchOf([first, ...others], 'catchUp', known, announced)]),
    ...(newest === undefined ? [] : [batchOf([newest], 'live', known, announced)]),
  ]
}

/**
 * The block with which the index begins, from an answer that shows the chain's first block as well. Later blocks are tied to the one before
 * them by its hash; this one is tied to nothing indexed, so two answers have to agree on it.
 *
 * @param genesisHash the hash of block 0, by which the database knows its chain
 * @throws `RpcError` `inconsistent` when the chain has another first block; `missing`
 */
export async function verifyStartBlock(source: Pick<ChainSource, 'headers'>, number: number, genesisHash: Hex): Promise<BlockHeader> {
  // One request, so that both are what one provider shows at one time.
  const [genesis, block] = await source.headers([0, number])
  if (genesis?.hash !== genesisHash) throw inconsistent('a chain with another first block')
  if (block === undefined) throw missing(`block ${number}`)
  return block
}

/**
 * Asks a second time for the confirmed block of a tip. The tip bounds the ranges, whose blocks can't be undone: with the tip of a provider
 * on another chain, ranges could go too far.
 *
 * @throws `RpcError` `inconsistent` when the answer is another block
 */
export async function verifyConfirmedBlock(source: Pick<ChainSource, 'header'>, { number, hash }: BlockHeader): Promise<void> {
  const shown = await source.header(number)
  if (shown.hash !== hash) throw inconsistent(`another block ${number} than the tip's`)
}

/**
 * The hash of the chain's first block, by which a database identifies its chain. Nothing else shows whether it is true, so it is asked
 * for twice: one garbled answer must not mark a database as another chain's.
 *
 * @throws `RpcError`, `inconsistent` when the answers differ
 */
export async function readGenesisHash(source: Pick<ChainSource, 'header'>): Promise<Hex> {
  const { hash } = await source.header(0)
  const again = await source.header(0)
  if (hash !== again.hash) throw inconsistent('two answers to what the first block is')
  return hash
}
