import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Admission } from '#gateway/admission/admission.ts'
import type { DescribedLimits } from '#gateway/descriptions/limits.ts'
import type { DatabaseProbe } from '#gateway/health/databaseProbe.ts'
import type { OperatorPolicy } from '#gateway/operator/operatorPolicy.ts'
import type { Realtime } from '#gateway/realtime/realtime.ts'
import type { EthUsdPrices } from '#resources/ethUsd.ts'
import type { FeedHealth, RealtimeHealth } from '#resources/health.ts'
import type { IndexerState } from '#resources/indexerState.ts'
import type { ProcessState } from '#resources/processes.ts'
import type { Reads } from '#resources/reads.ts'
import type { Metrics } from '#telemetry/metrics.ts'
import type { ResponseCache } from './responseCache.ts'
import type { Site } from './site.ts'

/** The state of the indexer and the chain. Never waits. */
export interface IndexerView {
  state(): IndexerState
  /** Whether this process is a standby, which waits to index. Absent: it is not. */
  isStandby?(): boolean
  /** The head, milliseconds per recent block, and the head's base fee; each `null` while unknown. */
  chain(): { readonly headBlock: number | null; readonly blockTimeMs: number | null; readonly baseFeeGwei: string | null }
}

export interface Sources {
  readonly config: Pick<Config, 'role' | 'pathPrefix' | 'explorerUrl' | 'launchpads' | 'integrations'> & DescribedLimits
  readonly site: Site | null
  readonly admission: Admission
  readonly operators: OperatorPolicy
  readonly reads: Reads
  readonly responses: Pick<ResponseCache, 'ask'>
  readonly indexer: IndexerView
  readonly ethUsd: EthUsdPrices
  readonly processes: () => readonly ProcessState[]
  readonly feed: () => FeedHealth
  readonly actors: Pick<Registry, 'health' | 'list' | 'get' | 'sequence'>
  readonly realtime: { health(): RealtimeHealth } & Pick<Realtime, 'openEventStream'>
  readonly metrics: Pick<Metrics, 'contentType' | 'render'>
  readonly probeDatabase: DatabaseProbe
  readonly chainId: number
  readonly version: string
  /** Monotonic milliseconds. */
  readonly now: () => number
}
