import type { Address } from '#domain/address.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { Rpc } from '#rpc/rpc.ts'

/**
 * Finds wrong addresses in `launchpads.json`, which cause no error by themselves: no log ever comes from them. Reads the newest block.
 *
 * @throws `RpcError` when no provider answers
 */
export async function findMissingContracts(
  rpc: Pick<Rpc, 'request'>,
  adapters: readonly Pick<LaunchpadAdapter, 'launchpad' | 'contracts'>[],
): Promise<readonly { readonly launchpad: string; readonly address: Address }[]> {
  const named = adapters.flatMap(({ launchpad, contracts }) => contracts.map(({ address }) => ({ launchpad, address })))
  const codes = await Promise.all(named.map(({ address }) => rpc.request({ method: 'eth_getCode', params: [address, 'latest'] })))
  return named.filter((_, index) => codes[index] === '0x')
}
