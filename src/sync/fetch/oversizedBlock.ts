import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { FetchedBatch } from '#sync/batch.ts'
import type { Watchlist } from '#sync/watchlist.ts'
import { fetchRange } from './range.ts'

/**
 * The batch of a block that has more logs than a provider gives in one answer, which anyone who pays for the gas can make. Only watched
 * logs are queried, as of a range, so no bloom shows that they are complete.
 *
 * @param announced as of `batchOf`
 * @throws `RpcError`
 */
export async function fetchOversizedBlock(
  source: Pick<ChainSource, 'headers' | 'logsInRange'>,
  watchlist: Watchlist,
  number: number,
  announced: Set<Hex>,
): Promise<FetchedBatch> {
  const request = { from: number, to: number, announced: [...announced], maxLogs: Number.POSITIVE_INFINITY }
  const batch = await fetchRange(source, watchlist, request)
  for (const key of batch.announced) announced.add(key)
  return { ...batch, mode: 'live' }
}

/**
 * For a `catch` after asking for whole blocks: `null` when the block has more logs than the provider gives at once. A provider that refuses
 * every query without addresses is not such a case: it would never show a block that can be checked against its bloom.
 *
 * @throws any other error
 */
export function nullIfOversized(error: unknown): null {
  const fault = faultOf(error)
  if (fault?.kind === 'too-large' && fault.limit.kind !== 'unlisted') return null
  throw error
}
