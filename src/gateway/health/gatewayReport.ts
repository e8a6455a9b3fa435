import type { ActorStateName } from '#domain/health.ts'
import type { ActorState, ActorsQuery } from '#resources/actors.ts'
import type { ActorsHealth, FeedHealth, ReplicaHealth } from '#resources/health.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import type { MetricsData } from '#telemetry/requestMetrics.ts'
import type { RealtimeReport } from './realtimeReport.ts'

/** What one gateway thread reports about itself: plain data, from which the process's health and metrics are merged. */
export interface GatewayReport {
  readonly actors: ActorsHealth
  readonly realtime: RealtimeReport
  readonly feed: FeedHealth
  readonly commitToDelivery: LatencySnapshot
  readonly requests: MetricsData
  readonly eventLoop: EventLoopState & { readonly thread: string }
}

/** A token that several threads watch has an actor in each of them. */
export function mergeActorsHealth(parts: readonly ActorsHealth[]): ActorsHealth {
  const byState: Record<string, number> = {}
  for (const part of parts) for (const [state, count] of Object.entries(part.byState)) byState[state] = (byState[state] ?? 0) + count
  return { total: sum(parts.map(({ total }) => total)), byState, subscribers: sum(parts.map(({ subscribers }) => subscribers)) }
}

/** The counts of several threads, added up. */
export function mergeRealtime(parts: readonly RealtimeReport[]): RealtimeReport {
  const total = (read: (part: RealtimeReport) => number) => sum(parts.map(read))
  return {
    webSocketConnections: total(part => part.webSocketConnections),
    eventStreams: total(part => part.eventStreams),
    subscriptions: total(part => part.subscriptions),
    updatesPerSecond: total(part => part.updatesPerSecond),
    deliveredTotal: total(part => part.deliveredTotal),
    conflatedTotal: total(part => part.conflatedTotal),
    recentLatencies: sumEach(parts.map(part => part.recentLatencies)),
  }
}

/** The worst value of each field: what some client of the process has to expect. Reconnects are added up. */
export function mergeFeeds(parts: readonly [FeedHealth, ...FeedHealth[]]): FeedHealth {
  const behind = parts.flatMap(({ behindBlocks }) => behindBlocks ?? [])
  const replicas = parts.flatMap(({ replica }) => replica ?? [])
  const replica: ReplicaHealth | null =
    replicas.length === 0
      ? null
      : { inUse: replicas.every(({ inUse }) => inUse), behindMs: Math.max(...replicas.map(({ behindMs }) => behindMs)) }
  return {
    carrier: parts[0].carrier,
    connected: parts.every(({ connected }) => connected),
    disconnectedMs: Math.max(...parts.map(({ disconnectedMs }) => disconnectedMs)),
    waitingMs: Math.max(...parts.map(({ waitingMs }) => waitingMs)),
    behindBlocks: behind.length === 0 ? null : Math.max(...behind),
    reconnects: sum(parts.map(({ reconnects }) => reconnects)),
    replica,
  }
}

/** The buckets of several threads, added up. All have the same bounds. */
export function mergeLatencies(parts: readonly [LatencySnapshot, ...LatencySnapshot[]]): LatencySnapshot {
  return {
    boundsMs: parts[0].boundsMs,
    counts: sumEach(parts.map(({ counts }) => counts)),
    sumMs: sum(parts.map(({ sumMs }) => sumMs)),
  }
}

/** When a token's actors in several threads differ in state, the state that comes first in this list is shown. */
const STATES: readonly ActorStateName[] = ['resyncing', 'activating', 'live', 'passivated']

/** The actors of one token in several threads, as one. @returns `null`: no thread has one */
export function mergeActors(actors: readonly ActorState[]): ActorState | null {
  const [first, ...others] = actors.toSorted((a, b) => (b.sequence ?? -1) - (a.sequence ?? -1))
  if (first === undefined) return null
  if (others.length === 0) return first
  const total = (read: (actor: ActorState) => number) => sum(actors.map(read))
  return {
    ...first,
    state: STATES.find(state => actors.some(actor => actor.state === state)) ?? first.state,
    subscribers: {
      webSocket: total(({ subscribers }) => subscribers.webSocket),
      eventStream: total(({ subscribers }) => subscribers.eventStream),
      lagging: total(({ subscribers }) => subscribers.lagging),
    },
    activatedAt: actors.map(({ activatedAt }) => activatedAt).toSorted()[0] ?? first.activatedAt,
    eventsHandled: total(({ eventsHandled }) => eventsHandled),
    conflated: total(({ conflated }) => conflated),
  }
}

/** Sorts merged actors as `listActors` sorts those of one thread. */
export function sortActors(actors: readonly ActorState[], { state, sort, limit }: ActorsQuery): readonly ActorState[] {
  const keyOf = ({ subscribers, ...actor }: ActorState) =>
    sort === 'subscribers' ? subscribers.webSocket + subscribers.eventStream : sort === 'sequence' ? actor.sequence : actor.lastUpdateAt
  return actors
    .filter(actor => state === undefined || actor.state === state)
    .map(actor => ({ actor, key: keyOf(actor) ?? '' }))
    .toSorted((a, b) => (a.key === b.key ? 0 : a.key === '' || (b.key !== '' && a.key < b.key) ? 1 : -1))
    .slice(0, limit)
    .map(({ actor }) => actor)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** Adds lists of the same length, item by item. */
function sumEach(lists: readonly (readonly number[])[]): readonly number[] {
  return (lists[0] ?? []).map((_, index) => sum(lists.map(list => list[index] ?? 0)))
}
