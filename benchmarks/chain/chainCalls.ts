import type { ChainContents, ChainSize } from './launchpadChain.ts'
import type { ProviderBehaviour } from './provider.ts'

export interface MinedBlock {
  readonly number: number
  /** When the provider had the block and told its subscribers, on the machine's monotonic clock. */
  readonly atMs: number
}

/** What the process of the chain does on request. */
export interface ChainCalls {
  /** Makes the history and serves it on a free port of the loopback interface. */
  open(size: ChainSize): Promise<{ readonly url: string; readonly webSocketUrl: string }>
  behave(behaviour: ProviderBehaviour): void
  contents(_: null): ChainContents
  /** Mines a block with a trade of each of these tokens, given by their indexes. */
  mine(tokens: readonly number[]): MinedBlock
  /** Drops the blocks after the history. */
  reset(_: null): void
}
