import type { Logger } from 'pino'
import type { Config } from '#config'
import { type ChangingCommitter, type CommitterOptions, createCommitter } from '#sync/committer.ts'
import type { ConnectedChain } from './connectChain.ts'

export interface UnwatchedCommitterOptions
  extends Pick<
    CommitterOptions,
    'db' | 'transaction' | 'writer' | 'adapters' | 'directory' | 'weth' | 'pegUsd' | 'facts' | 'ethUsd' | 'now'
  > {
  readonly config: Pick<Config, 'maxReorgDepth'>
  readonly chain: Pick<ConnectedChain, 'chainId'>
  readonly logger: Logger
}

/** A committer whose commits read no states for clients. */
export function createUnwatchedCommitter({ config, chain, ...options }: UnwatchedCommitterOptions): ChangingCommitter {
  return createCommitter({
    ...options,
    chainId: chain.chainId,
    revaluedPerBlock: 0,
    maxReorgDepth: config.maxReorgDepth,
    isWatched: () => false,
  })
}
