import type { Logger } from 'pino'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import type { Config, LaunchpadConfig } from '#config'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { readGenesisHash } from '#sync/fetch/verify.ts'
import { completeContracts } from './completeContracts.ts'

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
