import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Admission } from '#gateway/admission/admission.ts'
import type { Exchange } from '#gateway/http/exchange.ts'
import type { Problem } from '#gateway/http/problem.ts'
import type { ResponseCache } from '#gateway/http/responseCache.ts'
import type { OperatorPolicy } from '#gateway/operator.ts'
import type { Realtime } from '#gateway/realtime/realtime.ts'
import type { EthUsdPrices } from '#resources/ethUsd.ts'
import type { DatabaseCause, FeedHealth, IndexingView, ProcessState, RealtimeHealth } from '#resources/health.ts'
import type { Reads } from '#resources/reads.ts'
import type { Metrics } from '#telemetry/metrics.ts'
import type { Encoding } from './answer.ts'
import type { Route } from './route.ts'

export interface IndexerView extends IndexingView {
  /** Whether this process is a standby, which waits to index. Absent: it is not. */
  isStandby?(): boolean
}

export interface Sources {
  /** Handed by the process: the gateway does not know the integrations. */
  readonly integrations: IntegrationRoutes
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

/** The problem of an error that is not the client's. */
export type Failed = (error: unknown, exchange: Exchange) => Problem

/** The limits that clients of this service meet. */
export type DescribedLimits = Pick<
  Config,
  'rateLimitPerMinute' | 'maxConnectionsPerIp' | 'maxSubscriptionsPerConnection' | 'maxMessagesPerSecond'
>

/** Makes the routes of the integrations that are switched on. @param all the routes of the service, once they are made */
export type IntegrationRoutes = (sources: Sources, all: () => readonly Route[], failed: Failed) => readonly Route[]

export interface DatabaseCondition {
  readonly ok: boolean
  readonly latencyMs: number | null
  /** Why the database fails, without secrets; `null`: it works. */
  readonly cause: DatabaseCause | null
}

/** Pings at most twice a second, resolves within the timeout and never rejects. */
export type DatabaseProbe = () => Promise<DatabaseCondition>

export interface Representation {
  readonly bytes: Buffer
  readonly tag: string
}

export interface SiteFile {
  readonly contentType: string
  readonly immutable: boolean
  readonly plain: Representation
  readonly encoded: Readonly<Partial<Record<Encoding, Representation>>>
}

/** The files of the built console by their path from `/`. No other file of the disk is served. */
export type Site = ReadonlyMap<string, SiteFile>
