import type { Logger } from 'pino'
import { toFunctionSelector } from 'viem/utils'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import type { Config, LaunchpadConfig } from '#config'
import { type Address, type Hex, toAddress } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { AdapterKind, GetterPaths } from '#launchpads/adapter.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { faultOf } from '#rpc/rpcFault.ts'
import { readGenesisHash } from '#sync/replacement.ts'

export interface ConnectedChain {
  readonly rpc: Rpc
  readonly source: ChainSource
  readonly chainId: number
  /** With the contracts that were read from the chain. */
  readonly launchpads: readonly LaunchpadConfig[]
  readonly genesisHash: Hex
}

/**
 * Connects to the chain. Needs no database, which is made ready at the same time.
 *
 * @throws `TokenwireError` with the reason; nothing is left open then
 */
export async function connectChain(config: Config, logger: Logger): Promise<ConnectedChain> {
  const rpc = createRpc({ urls: config.rpcUrls, chainId: config.chainId, logger })
  try {
    const chainId = await rpc.connect()
    const source = createChainSource({ rpc, logger, provesLogs: config.verifyLogs === 'receipts' })
    const launchpads = await completeContracts(rpc, config.launchpads.launchpads, ADAPTER_KINDS)
    return { rpc, source, chainId, launchpads, genesisHash: await readGenesisHash(source) }
  } catch (error) {
    rpc.close()
    if (!(error instanceof TokenwireError) || error.code !== 'chain_mismatch') throw error
    throw new TokenwireError('chain_mismatch', `CHAIN_ID or RPC_URLS: ${error.message}`, { cause: error })
  }
}

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
