import type { Address } from '#domain/address.ts'
import type { RpcCall } from './rpcEndpoint.ts'

/** A header: the second parameter leaves the transactions out. */
export function blockByNumber(number: number): RpcCall {
  return { method: 'eth_getBlockByNumber', params: [toQuantity(number), false] }
}

/** The logs of some addresses in a range of blocks, both ends inclusive. */
export function logsOfAddresses(from: number, to: number, addresses: readonly Address[]): RpcCall {
  return { method: 'eth_getLogs', params: [{ fromBlock: toQuantity(from), toBlock: toQuantity(to), address: addresses }] }
}

function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}
