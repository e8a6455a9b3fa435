import type { Address } from '#domain/address.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { ActorState, ActorsQuery } from '#resources/actors.ts'
import type { ProcessState } from '#resources/processes.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { MetricsReading } from '#telemetry/metricRows.ts'
import type { MetricsData } from '#telemetry/requestMetrics.ts'
import { type GatewayReport, mergeActorsHealth, mergeFeeds, mergeLatencies, mergeRealtime } from './gatewayReport.ts'
import { toRealtimeHealth } from './realtimeReport.ts'

/** What one gateway thread answers about itself. */
export interface GatewayPart {
  report(): Promise<GatewayReport>
  listActors(query: ActorsQuery): readonly ActorState[]
  actor(token: Address): ActorState | null
}

export type Reports = readonly [GatewayReport, ...GatewayReport[]]

/** The same for all gateway threads of the process together. */
export interface ProcessView {
  reports(): Promise<Reports>
  listActors(query: ActorsQuery): Promise<readonly ActorState[]>
  actor(token: Address): Promise<ActorState | null>
  runtime(): Promise<RuntimeReport>
  /** All processes on the database. */
  processes(): Promise<readonly ProcessState[]>
}

/** The report of the main thread. */
export interface RuntimeReport {
  readonly metrics: MetricsData
  /** `null`: the main thread is a gateway thread, whose own report has its event loop. */
  readonly eventLoop: EventLoopState | null
}

/** The process has one gateway thread, the main one. */
export function viewOfOne(
  part: GatewayPart,
  { runtime, processes }: { runtime(): Promise<MetricsData>; processes(): readonly ProcessState[] },
): ProcessView {
  return {
    reports: async () => [await part.report()],
    listActors: async query => part.listActors(query),
    actor: async token => part.actor(token),
    runtime: async () => ({ metrics: await runtime(), eventLoop: null }),
    processes: async () => processes(),
  }
}

/** The reports of all threads, merged into those of the whole process. */
export function mergeReports(reports: Reports): Pick<MetricsReading, 'actors' | 'realtime' | 'feed' | 'commitToDelivery'> {
  const [first, ...others] = reports
  return {
    actors: mergeActorsHealth(reports.map(({ actors }) => actors)),
    realtime: toRealtimeHealth(mergeRealtime(reports.map(({ realtime }) => realtime))),
    feed: mergeFeeds([first.feed, ...others.map(({ feed }) => feed)]),
    commitToDelivery: mergeLatencies([first.commitToDelivery, ...others.map(({ commitToDelivery }) => commitToDelivery)]),
  }
}

type ProcessSources = Pick<Sources, 'feed'> & {
  readonly actors: Omit<Sources['actors'], 'sequence'>
  readonly realtime: Pick<Sources['realtime'], 'health'>
}

/** The sources from which routes answer for the whole process. */
export function processSources(view: ProcessView): ProcessSources {
  const merged = async () => mergeReports(await view.reports())
  return {
    feed: async () => (await merged()).feed,
    actors: { health: async () => (await merged()).actors, list: view.listActors, get: view.actor },
    realtime: { health: async () => (await merged()).realtime },
  }
}
