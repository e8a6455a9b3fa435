import type { ChainLog } from '#domain/block.ts'
import { fieldsOf, parseHash } from '#rpc/answerFields.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { receiptOf } from '#rpc/rpcCalls.ts'
import type { RpcCall } from '#rpc/rpcEndpoint.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { parseLogs } from './parseLogs.ts'

/**
 * All logs of a block from the receipts of its transactions, ascending by log index: for a block with more logs than a provider gives in
 * one answer, which anyone who pays for the gas can make.
 *
 * @param block the call for the block, by its number or hash
 * @throws `RpcError`, `inconsistent` when a receipt is of another block
 */
export async function fetchReceiptLogs(provider: RpcProvider, block: RpcCall): Promise<ChainLog[]> {
  const raw = await provider.call(block)
  if (raw === null) throw new RpcError({ kind: 'missing', what: 'a block' })
  const { hash, transactions } = fieldsOf(raw, 'block')
  const blockHash = parseHash(hash, 'block: hash')
  if (!Array.isArray(transactions)) throw new RpcError({ kind: 'garbled', what: 'block: transactions' })
  const receipts = await provider.calls(transactions.map(transaction => receiptOf(parseHash(transaction, 'transaction: hash'))))
  const logs: ChainLog[] = []
  for (const receipt of receipts) {
    if (receipt === null) throw new RpcError({ kind: 'missing', what: 'a receipt' })
    const fields = fieldsOf(receipt, 'receipt')
    if (fields['blockHash'] !== blockHash) throw new RpcError({ kind: 'inconsistent', what: 'a receipt of another block' })
    for (const log of parseLogs(fields['logs'])) logs.push(log)
  }
  return logs
}
