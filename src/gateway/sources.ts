import type { Config } from '#config'
import type { EthUsdPrices } from '#domain/ethUsd.ts'
import type { Reads } from '#domain/queries.ts'
import type { Admission } from './admission.ts'
import type { Site } from './site.ts'
import type { ActorsView, IndexerView, MetricsView, OpenEventStream, RealtimeView } from './subscriptionPorts.ts'

/** Everything that the routes ask. */
export interface Sources {
  readonly config: Pick<Config, 'host' | 'operatorToken' | 'trustProxy' | 'pathPrefix' | 'explorerUrl' | 'launchpads'>
  /** The console; `null`: it is not built. */
  readonly site: Site | null
  readonly admission: Admission
  readonly reads: Reads
  readonly indexer: IndexerView
  readonly ethUsd: EthUsdPrices
  readonly actors: ActorsView
  readonly realtime: RealtimeView
  readonly metrics: MetricsView
  readonly openEventStream: OpenEventStream
  readonly chainId: number
  /** Of this software. */
  readonly version: string
  /** Milliseconds on the monotonic clock (`performance.now()`), which begins when the process does. */
  readonly now: () => number
}
