import type { ChainLog } from '#domain/block.ts'
import { type ChainHeader, parseHeader } from '#rpc/header.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import { blockByNumber } from '#rpc/rpcCalls.ts'
import { inconsistent } from '#rpc/rpcFault.ts'
import { orderLogs } from './logs/parseLogs.ts'

/**
 * Reads a header that a provider shows.
 *
 * @throws as `parseHeader` and `HeaderCheck.check`
 */
export async function readHeader(provider: RpcProvider, raw: unknown, what: string, asked?: number): Promise<ChainHeader> {
  const header = parseHeader(raw, what, asked)
  await provider.checkHeader(header)
  return header
}

/** @throws `RpcError` as `readHeader`, with the fault `missing` when the provider does not have the block */
export async function fetchHeader(provider: RpcProvider, number: number): Promise<ChainHeader> {
  return readHeader(provider, await provider.call(blockByNumber(number)), `block ${number}`, number)
}

/**
 * The headers of these blocks, in their order.
 *
 * @throws as `fetchHeader`
 */
export async function fetchHeaders(provider: RpcProvider, numbers: readonly number[]): Promise<readonly ChainHeader[]> {
  const answers = await provider.calls(numbers.map(blockByNumber))
  const headers: ChainHeader[] = []
  for (const [index, number] of numbers.entries()) headers.push(await readHeader(provider, answers[index], `block ${number}`, number))
  return headers
}

export interface BlockWithLogs {
  readonly header: ChainHeader
  /** The logs of the block, ascending by log index. */
  readonly logs: readonly ChainLog[]
}

/**
 * A block with its logs in order.
 *
 * @throws `RpcError` `inconsistent` for logs of another block, and as `orderLogs`
 */
export function blockWithLogs(header: ChainHeader, unordered: readonly ChainLog[]): BlockWithLogs {
  const isElsewhere = ({ blockHash, blockNumber }: ChainLog) => blockHash !== header.hash || blockNumber !== header.number
  if (unordered.some(isElsewhere)) throw inconsistent(`a log of another block in block ${header.number}`)
  return { header, logs: orderLogs(unordered) }
}
