import type { BlockWithLogs } from '#chain/block.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { inconsistent, missing } from '#rpc/rpcFault.ts'
import { reorgTooDeep } from '#store/replaceBlocks.ts'
import type { BlockRow } from '#tables/block.ts'
import { batchOf, type PastWatchlist, type Watchlist } from './prefetch.ts'
import { blockAt, endOf, extendChain, type FetchedBatch, type LocalChain, type ReadyCommit, type Replacement } from './state.ts'

/**
 * Fetches the blocks that replaced indexed ones, up to the cursor's height at most. If they are replaced again meanwhile, they do not link
 * up, or the next step finds them replaced.
 *
 * @param chain the newest indexed blocks, the cursor last
 * @throws `TokenwireError` `reorg_too_deep`; as `fetchReplacement`
 */
export async function fetchFork(
  chain: readonly BlockRow[],
  tip: ChainTip,
  options: Omit<ReplacementOptions, 'ancestor' | 'to'> & {
    readonly source: Pick<ChainSource, 'headerOfEach'>
    readonly maxReorgDepth: number
  },
): Promise<ReadyCommit> {
  const { source, watchlist, maxReorgDepth } = options
  const fork = await findFork(source, chain, tip.head.number, watchlist.startBlock)
  const { kind, depth } = fork
  const ancestor = kind === 'fork' ? fork.ancestor : null
  const cursor = chain.at(-1)
  const last = cursor?.number ?? watchlist.startBlock
  if (kind === 'forgotten' || depth > maxReorgDepth) {
    const blocks = `${kind === 'forgotten' ? 'at least ' : ''}${depth} indexed block(s) up to block ${last}`
    throw reorgTooDeep(blocks, { cursor: last, cursorHash: cursor?.hash, depth, ancestor: ancestor?.number ?? null })
  }
  const to = Math.min(last, tip.confirmed.number)
  const replacement = await fetchReplacement({ ...options, ancestor, to })
  const kept: LocalChain = ancestor === null ? [] : chain.filter(({ number }) => number <= ancestor.number)
  return {
    kind: 'commit',
    commit: { kind: 'replace', to: endOf(replacement), replacement, depth },
    blocks: replacement.batches.flatMap(batch => batch.blocks).reduce(extendChain, kept),
  }
}

/** A fork that replaces indexed blocks, as all providers show it. `depth`: how many it replaces. */
type Fork =
  /**
   * It leaves the indexed chain after `ancestor`. If it leaves between blocks that were committed together, `ancestor` is the newest block
   * before those: the index can't go back to a place between them.
   */
  | { readonly kind: 'fork'; readonly ancestor: BlockHeader; readonly depth: number }
  /** No indexed block is on it, from the start block on. */
  | { readonly kind: 'whole'; readonly depth: number }
  /** No remembered block is on it, and there are older ones: it replaces at least `depth`. */
  | { readonly kind: 'forgotten'; readonly depth: number }

/**
 * Makes sure that the chain has left the indexed blocks, and finds where.
 *
 * @param local the newest indexed blocks, the cursor last
 * @param head the height of the chain now
 * @throws `RpcError` `inconsistent` while any healthy provider still has the indexed block: providers disagree, and asking again decides
 */
async function findFork(
  source: Pick<ChainSource, 'headerOfEach' | 'headers'>,
  local: readonly BlockRow[],
  head: number,
  startBlock: number,
): Promise<Fork> {
  const cursor = local.at(-1)
  if (cursor === undefined) throw new TypeError('nothing is indexed that a fork could replace')
  const shared = blockAt(local, Math.min(cursor.number, head))
  if (shared === undefined) throw missing(`the chain up to block ${cursor.number}`)
  const shown = await source.headerOfEach(shared.number)
  if (shown.some(({ hash }) => hash === shared.hash)) {
    throw inconsistent(`a provider has indexed block ${shared.number} on its chain, another one has not`)
  }
  const now = await source.headers(local.filter(({ number }) => number < shared.number).map(({ number }) => number))
  const shownHashes = new Map(now.map(({ number, hash }) => [number, hash]))
  const kept = local.filter(({ number, hash }) => shownHashes.get(number) === hash)
  const depth = cursor.number - (kept.at(-1)?.number ?? cursor.number - local.length)
  const ancestor = kept.findLast(({ mergedWithNext }) => !mergedWithNext)
  if (ancestor !== undefined) return { kind: 'fork', ancestor, depth }
  return { kind: kept.length === 0 && local[0]?.number === startBlock ? 'whole' : 'forgotten', depth }
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
