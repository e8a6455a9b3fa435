import { mapBounded } from '#async/mapBounded.ts'
import { readHeader } from '#chain/block.ts'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { isAboutCall } from '#rpc/callAtBlock.ts'
import type { ChainHeader } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { blockByHash } from '#rpc/rpcCalls.ts'
import { faultOf, inconsistent } from '#rpc/rpcFault.ts'
import { encodeReceipt } from './encodeReceipt.ts'
import { hasSameContent, orderLogs } from './orderLogs.ts'
import { fetchReceipts, fetchReceiptsAtOnce, logsOfReceipts, type RawReceipt } from './receipts.ts'
import { trieRoot } from './trieRoot.ts'

/** Blocks whose receipts are fetched at the same time: an answer may have megabytes. */
const BLOCKS_AT_ONCE = 4

/** The receipts root of a block without transactions. */
const EMPTY_ROOT = trieRoot([])

/**
 * All logs of a block from its receipts, which the header commits to: no provider can change, add or leave out one of them. The receipts
 * prove the order of the logs, but neither the numbers of their indexes nor the hashes of their transactions.
 *
 * @throws `RpcError` `inconsistent` when the receipts are not those of the header
 */
export async function fetchProvenLogs(provider: RpcProvider, header: ChainHeader): Promise<readonly ChainLog[]> {
  if (header.isProven && header.receiptsRoot === EMPTY_ROOT) return []
  const { isProven, logs } = logsOf(header, await fetchReceipts(provider, header.hash))
  if (isProven) return logs
  const sentence = `the receipts of block ${header.number} do not have the root that its header states`
  throw inconsistent(`${sentence}; a chain whose blocks all do so can not be indexed with VERIFY_LOGS=receipts`)
}

/**
 * What the receipts say of a block's logs, and whether the header commits to them. `null`: the provider does not give them.
 *
 * @param oneByOne whether receipts are asked for one by one from a provider that does not give those of a block in one answer
 */
export async function readReceiptLogs(
  provider: RpcProvider,
  header: ChainHeader,
  oneByOne: boolean,
): Promise<{ readonly isProven: boolean; readonly logs: readonly ChainLog[] } | null> {
  try {
    const receipts = oneByOne ? await fetchReceipts(provider, header.hash) : await fetchReceiptsAtOnce(provider, header.hash)
    return logsOf(header, receipts)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
    return null
  }
}

function logsOf(header: ChainHeader, receipts: readonly RawReceipt[]) {
  const { number, hash, receiptsRoot } = header
  const logs = logsOfReceipts(receipts).map(log => ({ ...log, blockNumber: number, blockHash: hash }))
  return { isProven: rootOf(receipts) === receiptsRoot && isAscending(logs), logs }
}

/** `null`: they have other fields than Ethereum's. */
function rootOf(receipts: readonly RawReceipt[]): Hex | null {
  try {
    return trieRoot(receipts.map(encodeReceipt))
  } catch (error) {
    if (faultOf(error)?.kind !== 'garbled') throw error
    return null
  }
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
    const proven = await fetchProvenLogs(provider, header)
    let at = 0
    for (const log of orderLogs(given)) {
      const place = proven.findIndex((one, index) => index >= at && hasSameContent(one, log))
      if (place < 0) throw inconsistent(`log ${log.logIndex} of block ${header.number} is not in the block's receipts, or in another order`)
      at = place + 1
    }
  })
}
