import { toFunctionSelector } from 'viem/utils'
import type { LaunchpadConfig } from '#config'
import { type Address, toAddress } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { AdapterKind } from '#launchpads/adapter.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'

const ADDRESS_WORD = /^0x0{24}[0-9a-fA-F]{40}$/

/**
 * Adds the contracts that an entry of `launchpads.json` leaves out and another of its contracts has a getter for.
 *
 * @throws `TokenwireError` `config_invalid` when that contract does not tell; `RpcError` when no provider answers
 */
export function completeContracts(
  rpc: Pick<Rpc, 'request'>,
  launchpads: readonly LaunchpadConfig[],
  kinds: Readonly<Record<string, Pick<AdapterKind, 'derivedContracts'>>>,
): Promise<readonly LaunchpadConfig[]> {
  const complete = async (launchpad: LaunchpadConfig, index: number): Promise<LaunchpadConfig> => {
    const contracts: Record<string, Address> = { ...launchpad.contracts }
    for (const [name, { from, getter }] of Object.entries(kinds[launchpad.adapter]?.derivedContracts ?? {})) {
      const contract = contracts[from]
      if (contracts[name] !== undefined || contract === undefined) continue
      const answer = await ask(rpc, contract, getter)
      if (answer === null) {
        throw new TokenwireError(
          'config_invalid',
          `LAUNCHPADS_FILE: launchpads[${index}].${name}: missing, and the ${from} at ${contract} does not return it (${getter})`,
        )
      }
      contracts[name] = answer
    }
    return { ...launchpad, contracts }
  }
  return Promise.all(launchpads.map(complete))
}

async function ask(rpc: Pick<Rpc, 'request'>, to: Address, getter: string): Promise<Address | null> {
  try {
    const answer = await rpc.request({ method: 'eth_call', params: [{ to, data: toFunctionSelector(getter) }, 'latest'] })
    if (typeof answer !== 'string' || !ADDRESS_WORD.test(answer) || BigInt(answer) === 0n) return null
    return toAddress(`0x${answer.slice(26)}`)
  } catch (error) {
    if (faultOf(error)?.kind !== 'rejected') throw error
    return null
  }
}
