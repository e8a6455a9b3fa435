import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/parseHeader.ts'
import { logsBloom } from './logsBloom.ts'

/**
 * Whether these can be all the logs of that block. Providers answer a newest block's logs before they have indexed them, or another
 * block's: what does not fit the header is not believed. One gap remains: when the last logs are missing and each of their addresses and
 * topics occurs in an earlier log as well, the bloom is the same; only the receipts' root would tell.
 *
 * @returns what contradicts it, or `null`
 */
export function checkBlockLogs(header: ChainHeader, logs: readonly ChainLog[]): string | null {
  for (const [index, log] of logs.entries()) {
    if (log.blockHash !== header.hash || log.blockNumber !== header.number) return `a log of another block in block ${header.number}`
    if (log.logIndex !== index) return `log ${log.logIndex} in the place of log ${index} of block ${header.number}`
  }
  return logsBloom(logs) === header.logsBloom ? null : `the logs of block ${header.number} do not fit its bloom`
}
