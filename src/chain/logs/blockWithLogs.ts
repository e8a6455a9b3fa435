import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/parseHeader.ts'
import { inconsistent } from '#rpc/rpcFault.ts'
import { logsBloom } from './logsBloom.ts'

export interface BlockWithLogs {
  readonly header: ChainHeader
  /** All logs of the block, ascending by log index. */
  readonly logs: readonly ChainLog[]
}

/**
 * A block, if these can be all of its logs. Providers answer a newest block's logs before they have indexed them, or another block's. One
 * gap remains: when the last logs are missing and each of their addresses and topics occurs in an earlier log as well, the bloom is the
 * same. Only the receipts' root would tell.
 *
 * @throws `RpcError` `inconsistent` when the logs do not fit the header
 */
export function blockWithLogs(header: ChainHeader, unordered: readonly ChainLog[]): BlockWithLogs {
  const logs = unordered.toSorted((a, b) => a.logIndex - b.logIndex)
  for (const [index, log] of logs.entries()) {
    if (log.blockHash !== header.hash || log.blockNumber !== header.number)
      throw inconsistent(`a log of another block in block ${header.number}`)
    if (log.logIndex !== index) throw inconsistent(`log ${log.logIndex} in the place of log ${index} of block ${header.number}`)
  }
  if (logsBloom(logs) !== header.logsBloom) throw inconsistent(`the logs of block ${header.number} do not fit its bloom`)
  return { header, logs }
}
