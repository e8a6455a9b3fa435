import type { ChainSource } from '#chain/chainSource.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { Hex } from '#domain/address.ts'
import type { BlockSpan } from '#sync/action.ts'
import type { FetchedBatch } from '#sync/batch.ts'
import type { Watchlist } from '#sync/watchlist.ts'
import { assertTimesAscend } from './assertTimesAscend.ts'
import { batchOf, fetchBlocks, type LinkedBlocks } from './blocks.ts'
import { fetchRange } from './range.ts'

export interface SpanSource {
  readonly source: Pick<ChainSource, 'headers' | 'logsInRange' | 'blockWithLogs'>
  readonly watchlist: Watchlist
  /** A range ends early past this many logs. */
  readonly maxRangeLogs: number
}

/**
 * Fetches a span's blocks, or its beginning.
 *
 * @param announced addresses and pool ids that earlier, uncommitted batches announce: the watchlist does not have them
 * @throws `RpcError`
 */
export async function fetchSpan(options: SpanSource, span: BlockSpan, tip: ChainTip, announced: readonly Hex[]): Promise<FetchedBatch> {
  const batch = await fetchBatch(options, span, tip, announced)
  assertTimesAscend([batch.first, ...batch.headers, batch.to])
  return batch
}

async function fetchBatch(
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
