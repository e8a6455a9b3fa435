import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { fieldsOf, parseHash } from '#rpc/answerFields.ts'
import { isAboutCall } from '#rpc/callAtBlock.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { blockByHash, receiptOf, receiptsOfBlock } from '#rpc/rpcCalls.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { faultOf, garbled, inconsistent, missing } from '#rpc/rpcFault.ts'
import { parseLogs } from './parseLogs.ts'

export type RawReceipt = Readonly<Record<string, unknown>>

/**
 * The receipts of a block, one by one in the order of its transactions: for a provider that does not give all of them in one answer.
 *
 * @param block the call for the block, by its number or hash
 * @throws `RpcError`, `inconsistent` when a receipt is of another block
 */
export async function fetchReceiptsOneByOne(provider: RpcProvider, block: RpcCall): Promise<readonly RawReceipt[]> {
  const raw = await provider.call(block)
  if (raw === null) throw missing('a block')
  const { hash, transactions } = fieldsOf(raw, 'block')
  const blockHash = parseHash(hash, 'block: hash')
  if (!Array.isArray(transactions)) throw garbled('block: transactions')
  const answers = await provider.calls(transactions.map(transaction => receiptOf(parseHash(transaction, 'transaction: hash'))))
  return answers.map(answer => {
    if (answer === null) throw missing('a receipt')
    const receipt = fieldsOf(answer, 'receipt')
    if (receipt['blockHash'] !== blockHash) throw inconsistent('a receipt of another block')
    return receipt
  })
}

/**
 * The receipts of the block with this hash: in one answer, or one by one where the provider gives none, since it lacks the method or they
 * are too many.
 *
 * @throws as `fetchReceiptsOneByOne`
 */
export async function fetchReceipts(provider: RpcProvider, hash: Hex): Promise<readonly RawReceipt[]> {
  try {
    return await fetchReceiptsAtOnce(provider, hash)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !(isAboutCall(fault) || fault.kind === 'cut-off')) throw error
    return fetchReceiptsOneByOne(provider, blockByHash(hash))
  }
}

/**
 * The receipts of the block with this hash, in one answer.
 *
 * @throws `RpcError`, also when the provider lacks the method
 */
export async function fetchReceiptsAtOnce(provider: RpcProvider, hash: Hex): Promise<readonly RawReceipt[]> {
  const raw = await provider.call(receiptsOfBlock(hash))
  if (raw === null) throw missing(`the receipts of block ${hash}`)
  if (!Array.isArray(raw)) throw garbled('receipts: not a list')
  return raw.map(receipt => fieldsOf(receipt, 'receipt'))
}

/**
 * What the receipts of a block say in place of a query of that one block's logs, which failed with this error. Nodes fail at the logs of
 * single blocks forever: of transactions that their logs do not know, of events that they did not store.
 *
 * @throws the query's error where that is no fault of the node, or the receipts can't be read either
 */
export async function insteadOfQuery<T>(error: unknown, fetchFromReceipts: () => Promise<T>): Promise<T> {
  const kind = faultOf(error)?.kind
  if (kind !== 'node' && kind !== 'rejected' && kind !== 'http') throw error
  try {
    return await fetchFromReceipts()
  } catch (failure) {
    throw faultOf(failure) === null ? failure : error
  }
}

/** All logs of a block, ascending by log index, from its receipts in their order. */
export function logsOfReceipts(receipts: readonly RawReceipt[]): ChainLog[] {
  const logs: ChainLog[] = []
  for (const receipt of receipts) for (const log of parseLogs(receipt['logs'])) logs.push(log)
  return logs
}
