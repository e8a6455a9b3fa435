import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { SentCall } from '#domain/contractCall.ts'
import { parseHeader } from './header.ts'
import type { RpcProvider } from './provider.ts'
import type { RpcCall } from './rpcEndpoint.ts'
import { faultOf, inconsistent, type RpcFault } from './rpcFault.ts'

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

export type CallAtBlock = { readonly kind: 'answer'; readonly value: unknown } | { readonly kind: 'refusal'; readonly fault: RpcFault }

const REFUSALS: ReadonlySet<RpcFault['kind']> = new Set(['rejected', 'missing', 'node', 'http', 'garbled'])

/** Whether a fault is about the call and not the provider, if the provider has the block. */
export function isAboutCall({ kind }: RpcFault): boolean {
  return REFUSALS.has(kind)
}

/**
 * Makes a call together with the block's header, which proves that the provider is on this block's chain. A refusal is an answer.
 *
 * @throws `RpcError` when the provider does not answer, or has another block of that number
 */
export async function callAtBlock(provider: RpcProvider, block: Pick<BlockHeader, 'number' | 'hash'>, call: RpcCall): Promise<CallAtBlock> {
  const header = blockByNumber(block.number)
  const assertSame = (raw: unknown) => {
    const { hash } = parseHeader(raw, `block ${block.number}`)
    if (hash !== block.hash) throw inconsistent(`another block ${block.number}`)
  }
  try {
    const [value, raw] = await provider.calls([call, header])
    assertSame(raw)
    return { kind: 'answer', value }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null || !isAboutCall(fault)) throw error
    assertSame(await provider.call(header))
    return { kind: 'refusal', fault }
  }
}
