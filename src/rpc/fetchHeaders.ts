import { type ChainHeader, parseHeader } from './parseHeader.ts'
import type { RpcProvider } from './rpc.ts'
import { blockByNumber } from './rpcCalls.ts'

/** @throws `RpcError`, with the fault `missing` when the provider does not have the block */
export async function fetchHeader(provider: RpcProvider, number: number): Promise<ChainHeader> {
  return parseHeader(await provider.call('eth_getBlockByNumber', blockByNumber(number).params), `block ${number}`, number)
}

/**
 * In the order of `numbers`.
 *
 * @throws as `fetchHeader`
 */
export async function fetchHeaders(provider: RpcProvider, numbers: readonly number[]): Promise<readonly ChainHeader[]> {
  const answers = await provider.calls(numbers.map(blockByNumber))
  return numbers.map((number, index) => parseHeader(answers[index], `block ${number}`, number))
}
