import { mapBounded } from '#async/mapBounded.ts'
import { type Address, type Hex, parseAddress } from '#domain/address.ts'
import { fieldsOf } from '#rpc/answerFields.ts'
import { isAboutCall } from '#rpc/callAtBlock.ts'
import type { RpcProvider } from '#rpc/rpc.ts'
import { blockWithTransactions, transactionAt } from '#rpc/rpcCalls.ts'
import { faultOf, garbled, inconsistent, missing } from '#rpc/rpcFault.ts'

export interface MinedTransaction {
  readonly txHash: Hex
  readonly blockHash: Hex
  /** As its logs state it. */
  readonly txIndex: number
}

type RawTransaction = Readonly<Record<string, unknown>>

/** Blocks with all their transactions, fetched at the same time: each may have megabytes. */
const BLOCKS_AT_ONCE = 4

/**
 * Who sent these transactions, in their order. They are asked for by block and index, since nodes know only the newest transactions by
 * their hash. What is not there is looked for in its whole block: on some chains indexes are no positions.
 *
 * @throws `RpcError`, `missing` when the provider lacks a transaction, `inconsistent` when it answers with another block
 */
export async function fetchSenders(provider: RpcProvider, transactions: readonly MinedTransaction[]): Promise<readonly Address[]> {
  const found = await fetchByPlace(provider, transactions)
  const blocks = new Set(transactions.flatMap(({ txHash, blockHash }) => (found.has(txHash) ? [] : [blockHash])))
  const fetched = await mapBounded([...blocks], BLOCKS_AT_ONCE, hash => fetchTransactions(provider, hash))
  for (const transaction of fetched.flat()) found.set(hashOf(transaction), transaction)
  return transactions.map(({ txHash }) => {
    const transaction = found.get(txHash)
    if (transaction === undefined) throw missing('a transaction')
    const sender = parseAddress(transaction['from'])
    if (sender === undefined) throw garbled('transaction: from')
    return sender
  })
}

/** The transactions that the provider shows at their index, by hash. */
async function fetchByPlace(provider: RpcProvider, transactions: readonly MinedTransaction[]): Promise<Map<unknown, RawTransaction>> {
  const found = new Map<unknown, RawTransaction>()
  try {
    const answers = await provider.calls(transactions.map(({ blockHash, txIndex }) => transactionAt(blockHash, txIndex)))
    for (const [index, { txHash, blockHash }] of transactions.entries()) {
      const answer = answers[index]
      if (answer === null) continue
      const transaction = fieldsOf(answer, 'transaction')
      if (hashOf(transaction) === txHash && lowerCase(transaction['blockHash']) === blockHash) found.set(txHash, transaction)
    }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
  }
  return found
}

async function fetchTransactions(provider: RpcProvider, blockHash: Hex): Promise<readonly RawTransaction[]> {
  const raw = await provider.call(blockWithTransactions(blockHash))
  if (raw === null) throw missing('the block of a transaction')
  const { hash, transactions } = fieldsOf(raw, 'block')
  if (lowerCase(hash) !== blockHash) throw inconsistent('another block')
  if (!Array.isArray(transactions)) throw garbled('block: transactions')
  return transactions.map(transaction => fieldsOf(transaction, 'transaction'))
}

function hashOf({ hash }: RawTransaction): unknown {
  return lowerCase(hash)
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}
