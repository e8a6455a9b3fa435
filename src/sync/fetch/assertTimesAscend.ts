import type { BlockHeader } from '#domain/block.ts'
import { inconsistent } from '#rpc/rpcFault.ts'

/**
 * Windows and candles count on times that never fall along the chain.
 *
 * @param headers ascending
 * @throws `RpcError` `inconsistent` for a block with a time before that of an earlier block
 */
export function assertTimesAscend(headers: readonly BlockHeader[]): void {
  for (const [index, { number, timestamp }] of headers.entries()) {
    const before = headers[index - 1]
    if (before === undefined || before.timestamp <= timestamp) continue
    const what = `the time of block ${number} is ${before.timestamp - timestamp} s before that of block ${before.number}`
    throw inconsistent(what)
  }
}
