import type { ChainContents } from '#benchmarks/chain/launchpadChain.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'

/** A process that indexes the chain. */
export type Indexer = Pick<MeasuredService, 'indexed' | 'usage' | 'stop'>

/** What an indexer is started with. */
export interface Surroundings {
  /** Of the provider, over HTTP. */
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly contents: ChainContents
}
