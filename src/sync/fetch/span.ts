import type { BlockWithLogs } from '#chain/block.ts'
import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import { assertOwnPlaces } from '#chain/logs/orderLogs.ts'
import type { Hex } from '#domain/address.ts'
import type { BatchMode } from '#domain/batch.ts'
import type { ChainLog } from '#domain/block.ts'
import type { BlockSpan, FetchedBatch } from '#sync/batch.ts'
import { ANNOUNCING_STEPS, type PastWatchlist, type Watchlist } from '#sync/watchlist.ts'
import { fetchRange, type RangeSource } from './range.ts'

export interface SpanSource {
  readonly source: RangeSource & Pick<ChainSource, 'blockWithLogs'>
  readonly watchlist: Watchlist
  /** A range ends early past this many logs. */
  readonly maxRangeLogs: number
}

/**
 * Fetches a span's blocks, or only the first of them.
 *
 * @param announced addresses and pool ids that earlier, uncommitted batches announce: the watchlist does not have them
 * @throws `RpcError`
 */
export async function fetchSpan(
  { source, watchlist, maxRangeLogs }: SpanSource,
  span: BlockSpan,
  tip: ChainTip,
  announced: readonly Hex[],
): Promise<FetchedBatch> {
  const { mode, from, to } = span
  if (mode === 'range') return fetchRange(source, watchlist, { from, to, announced, maxLogs: maxRangeLogs })
  const blocks = await (mode === 'catchUp' ? fetchBlocks(source, from, to) : fetchBlock(source, from, tip))
  return batchOf(blocks, mode, watchlist, new Set(announced))
}

async function fetchBlock(source: SpanSource['source'], number: number, { block, confirmed }: ChainTip): Promise<LinkedBlocks> {
  if (block !== null && block.header.number === number) return [block]
  return [await source.blockWithLogs(number, confirmed.number === number ? confirmed : undefined)]
}

/** Consecutive blocks, each with all of its logs. */
export type LinkedBlocks = readonly [BlockWithLogs, ...BlockWithLogs[]]

const BLOCKS_AT_ONCE = 12
/** Blocks with more logs than this in all are committed in several batches. Bounds the length of a transaction. */
const MAX_LOGS = 5_000

/**
 * Fetches blocks that are committed together. The list ends early where a block fails, does not follow the one before it, or where there
 * are many logs: the rest is fetched again with the next batch.
 *
 * @throws `RpcError` when the first block can't be fetched
 */
export async function fetchBlocks(source: Pick<ChainSource, 'blockWithLogs'>, from: number, to: number): Promise<LinkedBlocks> {
  let failed = false
  const begin = (number: number): Promise<BlockWithLogs | null> =>
    // A block may fail before it is awaited.
    source.blockWithLogs(number).catch(() => {
      failed = true
      return null
    })
  const first = source.blockWithLogs(from)
  const others = Array.from({ length: Math.min(to - from, BLOCKS_AT_ONCE - 1) }, (_, index) => begin(from + 1 + index))
  const blocks: [BlockWithLogs, ...BlockWithLogs[]] = [await first]
  for (let logs = blocks[0].logs.length; logs < MAX_LOGS; ) {
    const next = from + 1 + others.length
    if (next <= to && !failed) others.push(begin(next))
    const block = await others[blocks.length - 1]
    if (block === null || block === undefined || block.header.parentHash !== blocks.at(-1)?.header.hash) break
    blocks.push(block)
    logs += block.logs.length
  }
  return blocks
}

/**
 * The batch of some consecutive blocks: their understood logs of watched addresses, and of addresses that the blocks announce, wherever in
 * the block they are announced.
 *
 * @param announced addresses and pool ids that earlier, uncommitted batches announce. This batch's announcements are added to the set.
 */
export function batchOf(blocks: LinkedBlocks, mode: BatchMode, watchlist: PastWatchlist, announced: Set<Hex>): FetchedBatch {
  const before = new Set(announced)
  const kept = blocks.map(({ header, logs }) => ({ header, logs: watchedLogs(logs, watchlist, announced) }))
  const [{ header: first }] = blocks
  return {
    mode,
    from: first.number,
    first,
    to: blocks.at(-1)?.header ?? first,
    blocks: blocks.map(({ header }) => header),
    headers: kept.flatMap(({ header, logs }) => (logs.length === 0 ? [] : [header])),
    logs: kept.flatMap(({ logs }) => logs),
    announced: [...announced].filter(key => !before.has(key)),
  }
}

function watchedLogs(logs: readonly ChainLog[], watchlist: PastWatchlist, announced: Set<Hex>): readonly ChainLog[] {
  const understood = logs.filter(({ topics: [topic] }) => watchlist.isUnderstood(topic))
  const isWatched = ({ address }: ChainLog) => watchlist.has(address) || announced.has(address)
  let kept = understood.filter(isWatched)
  // An announced contract may announce something itself, as a curve announces its pool.
  for (let step = 0; step < ANNOUNCING_STEPS; step++) {
    const known = announced.size
    for (const key of watchlist.discover(kept)) announced.add(key)
    if (announced.size === known) break
    kept = understood.filter(isWatched)
  }
  assertOwnPlaces(kept)
  return kept
}
