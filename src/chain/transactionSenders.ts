import { type Address, type Hex, parseAddress } from '#domain/address.ts'
import { fieldsOf, parseHash } from '#rpc/answerFields.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { transactionByHash } from '#rpc/rpcCalls.ts'
import { garbled, inconsistent, missing } from '#rpc/rpcFault.ts'

export interface MinedTransaction {
  readonly txHash: Hex
  readonly blockHash: Hex
}

/**
 * Who sent these transactions, in their order.
 *
 * @throws `RpcError`, `missing` when the provider lacks a transaction, `inconsistent` when it answers with another transaction, or one of
 * another block
 */
export async function fetchSenders(provider: RpcProvider, transactions: readonly MinedTransaction[]): Promise<readonly Address[]> {
  const answers = await provider.calls(transactions.map(({ txHash }) => transactionByHash(txHash)))
  return transactions.map((asked, index) => readSender(answers[index], asked))
}

function readSender(raw: unknown, { txHash, blockHash }: MinedTransaction): Address {
  if (raw === null) throw missing('a transaction')
  const fields = fieldsOf(raw, 'transaction')
  if (parseHash(fields['hash'], 'transaction: hash') !== txHash) throw inconsistent('another transaction')
  // Pending, or mined in another block: a reorg has removed the expected block.
  if (fields['blockHash'] === null) throw missing('the block of a transaction')
  if (parseHash(fields['blockHash'], 'transaction: blockHash') !== blockHash) throw inconsistent('a transaction of another block')
  const sender = parseAddress(fields['from'])
  if (sender === undefined) throw garbled('transaction: from')
  return sender
}
