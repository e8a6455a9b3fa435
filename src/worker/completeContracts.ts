import { toFunctionSelector } from 'viem/utils'
import type { LaunchpadConfig } from '#config'
import { type Address, toAddress } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { AdapterKind, GetterPaths } from '#launchpads/adapter.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'

const ADDRESS_WORD = /^0x0{24}[0-9a-fA-F]{40}$/

/**
 * Adds the contracts that an entry of `launchpads.json` leaves out, if its factory leads to them. An optional contract stays out if it does
 * not.
 *
 * @throws `TokenwireError` `config_invalid` when a required one is not found; `RpcError` when no provider answers
 */
export function completeContracts(
  rpc: Pick<Rpc, 'request'>,
  launchpads: readonly LaunchpadConfig[],
  kinds: Readonly<Record<string, Pick<AdapterKind, 'derivedContracts' | 'optionalContracts'>>>,
): Promise<readonly LaunchpadConfig[]> {
  const complete = async (launchpad: LaunchpadConfig, index: number): Promise<LaunchpadConfig> => {
    const contracts: Record<string, Address> = { ...launchpad.contracts }
    const { derivedContracts = {}, optionalContracts = [] } = kinds[launchpad.adapter] ?? {}
    const { factory } = contracts
    if (factory === undefined) return launchpad
    for (const [name, paths] of Object.entries(derivedContracts)) {
      if (contracts[name] !== undefined) continue
      const answer = await follow(rpc, factory, paths)
      if (answer === null) {
        if (optionalContracts.includes(name)) continue
        const tried = paths.map(path => path.join('.')).join(' or ')
        throw new TokenwireError(
          'config_invalid',
          `LAUNCHPADS_FILE: launchpads[${index}].${name}: missing, and the factory at ${factory} does not return it (${tried})`,
        )
      }
      contracts[name] = answer
    }
    return { ...launchpad, contracts }
  }
  return Promise.all(launchpads.map(complete))
}

/** Follows the first path of getters that leads to an address. */
async function follow(rpc: Pick<Rpc, 'request'>, factory: Address, paths: GetterPaths): Promise<Address | null> {
  for (const path of paths) {
    let at: Address | null = factory
    for (const getter of path) at = at === null ? null : await ask(rpc, at, getter)
    if (at !== null) return at
  }
  return null
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
