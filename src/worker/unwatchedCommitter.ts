import type { Logger } from 'pino'
import type { Config } from '#config'
import { type ChangingCommitter, type CommitterOptions, createCommitter } from '#sync/committer.ts'
import type { ConnectedChain } from './connectChain.ts'

export interface UnwatchedCommitterOptions
  extends Pick<CommitterOptions, 'db' | 'transaction' | 'writer' | 'adapters' | 'directory' | 'now'> {
  readonly config: Pick<Config, 'maxReorgDepth' | 'launchpads'>
  readonly chain: Pick<ConnectedChain, 'source' | 'chainId'>
  readonly logger: Logger
}

/** A committer whose commits read no states for clients, and value nothing by the present price. */
export function createUnwatchedCommitter({ config, chain, ...options }: UnwatchedCommitterOptions): ChangingCommitter {
  const { weth, pegUsd } = config.launchpads
  return createCommitter({
    ...options,
    chainId: chain.chainId,
    facts: chain.source,
    weth,
    ...(pegUsd !== undefined && { pegUsd }),
    revaluedPerBlock: 0,
    maxReorgDepth: config.maxReorgDepth,
    isWatched: () => false,
    ethUsd: () => null,
  })
}
