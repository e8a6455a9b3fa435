import { mapBounded } from '#async/mapBounded.ts'
import { readHeader } from '#chain/block.ts'
import type { ChainLog } from '#domain/block.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { blockByHash } from '#rpc/rpcCalls.ts'
import { inconsistent } from '#rpc/rpcFault.ts'
import { encodeReceipt } from './encodeReceipt.ts'
import { isSameLog } from './orderLogs.ts'
import { fetchBlockReceipts, logsOfReceipts } from './receipts.ts'
import { trieRoot } from './trieRoot.ts'

/** Blocks whose receipts are fetched at the same time: an answer may have megabytes. */
const BLOCKS_AT_ONCE = 4

/**
 * All logs of a block from its receipts, which the header commits to: no provider can change, add or leave out one of them. The receipts
 * prove the order of the logs, but neither the numbers of their indexes nor the hashes of their transactions.
 *
 * @throws `RpcError` `inconsistent` when the header is not proven, or the receipts are not its own
 */
export async function fetchProvenLogs(provider: RpcProvider, header: ChainHeader): Promise<readonly ChainLog[]> {
  const { number, hash } = header
  if (!header.isProven) throw inconsistent(`the hash of block ${number} is not that of its fields, so its receipts prove nothing`)
  const receipts = await fetchBlockReceipts(provider, hash)
  if (trieRoot(receipts.map(encodeReceipt)) !== header.receiptsRoot) {
    throw inconsistent(`the receipts of block ${number} do not have the root that its header states`)
  }
  const logs = logsOfReceipts(receipts).map(log => ({ ...log, blockNumber: number, blockHash: hash }))
  if (!isAscending(logs)) throw inconsistent(`the logs of block ${number} are not in the order of its receipts`)
  return logs
}

/** Whether indexes of logs rise from log to log, and those of transactions from one transaction to the next. */
function isAscending(logs: readonly ChainLog[]): boolean {
  return logs.every((log, index) => {
    const before = logs[index - 1]
    if (before === undefined) return true
    return before.logIndex < log.logIndex && (before.txHash === log.txHash ? before.txIndex === log.txIndex : before.txIndex < log.txIndex)
  })
}

/**
 * Compares logs of some blocks with the receipts of these blocks. Finds changed and added logs, not missing ones.
 *
 * @throws `RpcError` `inconsistent` for a log that differs from its block's receipts
 */
export async function assertProven(provider: RpcProvider, logs: readonly ChainLog[]): Promise<void> {
  const byBlock = [...Map.groupBy(logs, ({ blockHash }) => blockHash)]
  await mapBounded(byBlock, BLOCKS_AT_ONCE, async ([hash, given]) => {
    const header = await readHeader(provider, await provider.call(blockByHash(hash)), `block ${hash}`)
    if (header.hash !== hash) throw inconsistent(`block ${header.hash} in answer to block ${hash}`)
    const proven = new Map((await fetchProvenLogs(provider, header)).map(log => [log.logIndex, log]))
    for (const log of given) {
      const { blockNumber, logIndex } = log
      const shown = proven.get(logIndex)
      if (shown !== undefined && isSameLog(log, shown)) continue
      throw inconsistent(`log ${logIndex} of block ${blockNumber} is not the one in the block's receipts`)
    }
  })
}
