import type { Address, Hex } from '#domain/address.ts'
import type { SentCall } from '#domain/contractCall.ts'
import type { RpcCall } from './rpcEndpoint.ts'

/** The topics that match at each position of a log's topics; `null`: any topic. */
export type Topics = readonly (readonly Hex[] | null)[]

/** The wanted logs: logs of these addresses (left out: of any address) whose topics match (left out: any topics). */
export interface LogFilter {
  readonly addresses?: readonly Address[]
  readonly topics?: Topics
}

/** A header: the second parameter leaves the transactions out. */
export function blockByNumber(number: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }
}

/** The header of the block with this tag. */
export function blockByTag(tag: 'latest' | 'safe' | 'finalized'): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}

/** The header of a block, and the hashes of its transactions. */
export function blockByHash(hash: Hex): RpcCall {
  return { method: 'eth_getBlockByHash', params: [hash, false] }
}

/** The logs of the block with this hash that fit a filter, by default all. */
export function logsOfBlock(hash: Hex, filter: LogFilter = {}): RpcCall {
  return { method: 'eth_getLogs', params: [{ blockHash: hash, ...fieldsOfFilter(filter) }] }
}

export function receiptOf(transaction: Hex): RpcCall {
  return { method: 'eth_getTransactionReceipt', params: [transaction] }
}

/** All receipts of the block with this hash. */
export function receiptsOfBlock(hash: Hex): RpcCall {
  return { method: 'eth_getBlockReceipts', params: [hash] }
}

export function transactionAt(block: Hex, index: number): RpcCall {
  return { method: 'eth_getTransactionByBlockHashAndIndex', params: [block, toQuantity(index)] }
}

export function blockWithTransactions(hash: Hex): RpcCall {
  return { method: 'eth_getBlockByHash', params: [hash, true] }
}

/** The logs that fit a filter in a range of blocks, both ends inclusive. */
export function logsInBlocks(from: number, to: number, filter: LogFilter = {}): RpcCall {
  return { method: 'eth_getLogs', params: [{ fromBlock: toQuantity(from), toBlock: toQuantity(to), ...fieldsOfFilter(filter) }] }
}

function fieldsOfFilter({ addresses, topics }: LogFilter): Readonly<Record<string, unknown>> {
  return { ...(addresses !== undefined && { address: addresses }), ...(topics !== undefined && { topics }) }
}

/** What a call returns on the state after a block. */
export function callAt(number: number, call: SentCall): RpcCall {
  return { method: 'eth_call', params: [call, toQuantity(number)] }
}

/** What creation code returns when it is run on the state after a block. */
export function runAt(number: number, code: Hex): RpcCall {
  return { method: 'eth_call', params: [{ data: code }, toQuantity(number)] }
}

/** The result of a call in a simulated block after this one, with its logs. */
export function simulateAt(number: number, call: SentCall): RpcCall {
  return { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls: [call] }] }, toQuantity(number)] }
}

function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}
