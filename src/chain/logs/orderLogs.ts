import type { ChainLog } from '#domain/block.ts'
import { inconsistent } from '#rpc/rpcFault.ts'

/**
 * The logs by their place in the chain, each once: some providers send a log twice. Nothing else is asked of log indexes: on public chains
 * they have gaps, and begin with any number.
 *
 * @throws `RpcError` `inconsistent` when two logs have one place or a block has two hashes: then the answers are of different chains
 */
export function orderLogs(logs: readonly ChainLog[]): readonly ChainLog[] {
  const ordered: ChainLog[] = []
  for (const log of logs.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)) {
    const before = ordered.at(-1)
    if (before?.blockNumber === log.blockNumber) {
      if (before.blockHash !== log.blockHash) throw inconsistent(`logs of two blocks ${log.blockNumber}`)
      if (isSameLog(before, log)) continue
      if (before.logIndex === log.logIndex) throw inconsistent(`two logs ${log.logIndex} of block ${log.blockNumber}`)
    }
    ordered.push(log)
  }
  return ordered
}

/** Whether all fields are the same. */
export function isSameLog(a: ChainLog, b: ChainLog): boolean {
  return (
    a.blockNumber === b.blockNumber &&
    a.blockHash === b.blockHash &&
    a.logIndex === b.logIndex &&
    a.txHash === b.txHash &&
    a.txIndex === b.txIndex &&
    a.address === b.address &&
    a.data === b.data &&
    a.topics.length === b.topics.length &&
    a.topics.every((topic, index) => topic === b.topics[index])
  )
}
