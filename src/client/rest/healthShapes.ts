import type { ActorState, IndexerHealth, ProcessState } from '#domain/health.ts'
import {
  addressShape as address,
  sequenceShape as count,
  integerShape as integer,
  percentShape as percent,
  timeShape as time,
} from './resourceShapes.ts'
import { boolean, choice, listOf, mapOf, nullable, number, object, type Shape, string } from './shape.ts'

const positive = number(0)
const positiveOrNull = nullable(positive)
const integerOrNull = nullable(integer)
const timeOrNull = nullable(time)
const ofProcess = {
  status: choice('ok', 'syncing', 'stalled', 'degraded'),
  role: choice('all', 'indexer', 'gateway'),
  standby: boolean,
  version: string,
  uptimeSeconds: positive,
  indexedBlock: integerOrNull,
  lagBlocks: nullable(number()),
  database: object({ ok: boolean, latencyMs: positiveOrNull }),
  feed: object({
    carrier: choice('thread', 'notify', 'nats'),
    connected: boolean,
    disconnectedMs: positive,
    waitingMs: positive,
    behindBlocks: nullable(count),
    reconnects: count,
    replica: nullable(object({ inUse: boolean, behindMs: positive })),
  }),
}

export const indexerHealthShape: Shape<IndexerHealth> = object({
  ...ofProcess,
  chainId: count,
  headBlock: integerOrNull,
  confirmedBlock: integerOrNull,
  lagSeconds: nullable(number()),
  backfill: nullable(
    object({
      fromBlock: integer,
      toBlock: integer,
      currentBlock: integer,
      percent,
      blocksPerSecond: positive,
      eventsPerSecond: positive,
      secondsLeft: positiveOrNull,
    }),
  ),
  reorgs: object({ count, lastDepth: nullable(count), lastAt: timeOrNull }),
  rpc: listOf(
    object({
      name: string,
      healthy: boolean,
      cause: nullable(string),
      latencyMs: positiveOrNull,
      errorRate: number(0, 1),
      concurrency: nullable(count),
      batchSize: count,
      rangeBlocks: count,
      silentSeconds: nullable(count),
    }),
  ),
  actors: object({ total: count, byState: mapOf(count), subscribers: count }),
  realtime: object({
    webSocketConnections: count,
    eventStreams: count,
    subscriptions: count,
    updatesPerSecond: positive,
    deliveredTotal: count,
    conflatedTotal: count,
    commitToDeliveryMs: object({ p50: positiveOrNull, p99: positiveOrNull }),
  }),
  reasons: listOf(string),
  warnings: listOf(string),
})

export const actorStateShape: Shape<ActorState> = object({
  token: address,
  state: choice('activating', 'live', 'resyncing', 'passivated'),
  sequence: nullable(count),
  subscribers: object({ webSocket: count, eventStream: count, lagging: count }),
  lastUpdateAt: timeOrNull,
  lastBlock: integerOrNull,
  frameBytes: nullable(count),
  activatedAt: time,
  eventsHandled: count,
  conflated: count,
})

export const processStateShape: Shape<ProcessState> = object({
  ...ofProcess,
  id: string,
  host: string,
  pid: count,
  url: string,
  threads: count,
  connections: count,
  subscriptions: count,
  heardMsAgo: positive,
})
