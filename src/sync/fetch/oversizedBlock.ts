import type { ChainSource } from '#chain/chainSource.ts'
import type { Hex } from '#domain/address.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import type { BlockBatch, Watchlist } from '#sync/ports.ts'
import { fetchRange } from './range.ts'

/**
 * The batch of a block that holds more logs than a provider gives in one answer, as whoever pays for the gas can make one. Only what is
 * watched is asked for, as of a range; that nothing of it is missing, no bloom tells then.
 *
 * @param announced addresses and ids of pools that blocks before it add and that are not committed yet; what this one adds is added to it
 * @throws `RpcError`
 */
export async function fetchCrowdedBlock(
  source: Pick<ChainSource, 'headers' | 'logsInRange'>,
  watchlist: Watchlist,
  number: number,
  announced: Set<Hex>,
): Promise<BlockBatch> {
  const request = { from: number, to: number, announced: [...announced], maxLogs: Number.POSITIVE_INFINITY }
  const { batch, discovered } = await fetchRange(source, watchlist, request)
  for (const key of discovered) announced.add(key)
  const { from, to, headers, logs } = batch
  return { from, to, headers, logs, live: true }
}

/**
 * For a `catch` after asking for whole blocks: `null` when there are more logs than the provider gives at once. One that gives none without addresses is
 * no such: it would never show a block that can be checked.
 *
 * @throws the error, if it is another
 */
export function nullIfCrowded(error: unknown): null {
  const fault = faultOf(error)
  if (fault?.kind === 'too-large' && fault.limit.kind !== 'unlisted') return null
  throw error
}
