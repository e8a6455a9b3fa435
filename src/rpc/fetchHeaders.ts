import { type ChainHeader, parseHeader } from './parseHeader.ts'
import type { RpcProvider } from './rpc.ts'
import { blockByNumber } from './rpcCalls.ts'

/**
 * Reads a header that is to be believed.
 *
 * @throws as `parseHeader`; `RpcError` `inconsistent` when its hash is not that of its fields, on a chain where it should be
 */
export function readHeader(provider: RpcProvider, raw: unknown, what: string, asked?: number): ChainHeader {
  const header = parseHeader(raw, what, asked)
  provider.checkHeader(header)
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
  return numbers.map((number, index) => readHeader(provider, answers[index], `block ${number}`, number))
}
