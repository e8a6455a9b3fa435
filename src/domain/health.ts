import type { Address } from './address.ts'

export type ServiceStatus = 'ok' | 'syncing' | 'stalled' | 'degraded'

export interface RpcHealth {
  /** `rpc-1`, `rpc-2` … in the order of `RPC_URLS`: never the URL, which may hold a key. */
  readonly name: string
  readonly healthy: boolean
  /** Why it is not healthy, by kind, in this service's own words; `null`: it is. */
  readonly cause: string | null
  readonly latencyMs: number | null
  /** Share of failed calls in the recent past, 0 to 1. */
  readonly errorRate: number
  /** The limit on requests in flight; `null`: it has refused none. This and the next two adapt to the provider's answers and refusals. */
  readonly concurrency: number | null
  /** Calls per request. */
  readonly batchSize: number
  /** Blocks per log query. */
  readonly rangeBlocks: number
  /** For how long the provider asks not to be called; `null`: it may be called. */
  readonly silentSeconds: number | null
}

export interface BackfillProgress {
  readonly fromBlock: string
  readonly toBlock: string
  readonly currentBlock: string
  readonly percent: number
  readonly blocksPerSecond: number
  readonly eventsPerSecond: number
  readonly secondsLeft: number | null
}

export interface ReorgStats {
  readonly count: number
  readonly lastDepth: number | null
  readonly lastAt: string | null
}

/** The progress of indexing, and the state of its providers. */
export interface IndexingHealth {
  /** Like `lagSeconds`, `null` also when no provider has reported the chain's head for half a minute. */
  readonly lagBlocks: number | null
  readonly lagSeconds: number | null
  readonly backfill: BackfillProgress | null
  readonly reorgs: ReorgStats
  readonly rpc: readonly RpcHealth[]
}

export interface ActorsHealth {
  readonly total: number
  readonly byState: Readonly<Record<string, number>>
  readonly subscribers: number
}

export interface RealtimeHealth {
  readonly webSocketConnections: number
  readonly eventStreams: number
  readonly subscriptions: number
  readonly updatesPerSecond: number
  readonly deliveredTotal: number
  readonly conflatedTotal: number
  /** From the commit's completion to the write to the socket; `null` before the first delivery. */
  readonly commitToDeliveryMs: { readonly p50: number | null; readonly p99: number | null }
}

/** How committed blocks reach a gateway. */
export interface FeedHealth {
  readonly carrier: 'thread' | 'notify' | 'nats'
  /** Whether commits arrive. */
  readonly connected: boolean
  /** For how long no commits have arrived, give or take 2 s; 0: they arrive. */
  readonly disconnectedMs: number
  /** How long the oldest commit that has arrived has been waiting to be passed on; 0: all are passed on. */
  readonly waitingMs: number
  /** Indexed blocks that are not passed on yet, by the indexer's last report; `null`: it has not reported. */
  readonly behindBlocks: number | null
  /** How often the carrier has reconnected. */
  readonly reconnects: number
  /** `null`: this process reads from the database that the indexer writes to. */
  readonly replica: ReplicaHealth | null
}

export interface ReplicaHealth {
  /** `false`: reads go to the primary. */
  readonly inUse: boolean
  /** For how long the replica has lacked the newest announced commit; 0: it has that commit. */
  readonly behindMs: number
}

export interface IndexerHealth extends IndexingHealth {
  readonly status: ServiceStatus
  readonly role: 'all' | 'indexer' | 'gateway'
  /** Whether the process waits until the one that indexes is gone, to take over. */
  readonly standby: boolean
  readonly version: string
  readonly uptimeSeconds: number
  readonly chainId: number
  readonly headBlock: string | null
  readonly confirmedBlock: string | null
  readonly indexedBlock: string | null
  readonly database: { readonly ok: boolean; readonly latencyMs: number | null }
  readonly actors: ActorsHealth
  readonly realtime: RealtimeHealth
  readonly feed: FeedHealth
  readonly reasons: readonly string[]
  /** What can not be verified, though nothing is broken. */
  readonly warnings: readonly string[]
}

/** What a process reports about itself to the other processes on its database. */
export interface ProcessReport
  extends Pick<
    IndexerHealth,
    'status' | 'role' | 'standby' | 'version' | 'uptimeSeconds' | 'indexedBlock' | 'lagBlocks' | 'database' | 'feed'
  > {
  /** A new id for each start of the process. */
  readonly id: string
  readonly host: string
  readonly pid: number
  /** The URL at which it listens. */
  readonly url: string
  /** Threads that serve requests. */
  readonly threads: number
  /** Open WebSockets and event streams. */
  readonly connections: number
  readonly subscriptions: number
}

export interface ProcessState extends ProcessReport {
  readonly heardMsAgo: number
}

export const ACTOR_STATE_NAMES = ['activating', 'live', 'resyncing', 'passivated'] as const
export type ActorStateName = (typeof ACTOR_STATE_NAMES)[number]

export const ACTOR_SORTS = ['subscribers', 'sequence', 'lastUpdateAt'] as const
export type ActorSort = (typeof ACTOR_SORTS)[number]

export interface ActorsQuery {
  readonly state?: ActorStateName
  /** Largest or newest first; `null` comes last. */
  readonly sort: ActorSort
  readonly limit: number
}

export interface ActorState {
  readonly token: Address
  readonly state: ActorStateName
  readonly sequence: number | null
  readonly subscribers: { readonly webSocket: number; readonly eventStream: number; readonly lagging: number }
  readonly lastUpdateAt: string | null
  readonly lastBlock: string | null
  readonly frameBytes: number | null
  readonly activatedAt: string
  readonly eventsHandled: number
  /** Updates that a newer one replaced before they were written, since the activation. */
  readonly conflated: number
}
