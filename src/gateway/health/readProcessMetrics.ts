import type { Sources } from '#gateway/http/sources.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { droppedLogLines } from '#telemetry/logOutput.ts'
import type { MetadataState, MetricsReading } from '#telemetry/metricRows.ts'
import { launchpadProgress } from './launchpadProgress.ts'

/** Absent or `null`: the indexer is another process, which has its own metrics. */
export interface MeasuredIndexer {
  metadata?(): MetadataState | null
  skippedLogs?(): MetricsReading['skippedLogs']
  eventLoop?(): EventLoopState | null
}

export interface MetricsSources extends Pick<Sources, 'config' | 'probeDatabase' | 'ethUsd' | 'admission'> {
  readonly indexer: Pick<Sources['indexer'], 'state'> & MeasuredIndexer
  tableSizes(): Promise<MetricsReading['tables']>
  readonly feed: { health(): MetricsReading['feed'] }
  readonly actors: { health(): MetricsReading['actors'] }
  readonly realtime: { health(): MetricsReading['realtime']; commitToDelivery(): LatencySnapshot }
  /** The event loop of the main thread. */
  readonly eventLoop: { state(): EventLoopState }
}

/** Reads the metrics of this process for `/metrics`. */
export async function readProcessMetrics(sources: MetricsSources): Promise<MetricsReading> {
  const { indexer, feed, actors, realtime } = sources
  const [database, tables] = await Promise.all([sources.probeDatabase(), sources.tableSizes()])
  const state = indexer.state()
  const indexing = indexer.eventLoop?.() ?? null
  return {
    droppedLogLines: droppedLogLines(),
    feed: feed.health(),
    actors: actors.health(),
    realtime: realtime.health(),
    commitToDelivery: realtime.commitToDelivery(),
    indexer: state,
    launchpads: launchpadProgress(sources.config, state),
    database,
    tables,
    ethUsd: sources.ethUsd.last(),
    metadata: indexer.metadata?.() ?? { queued: null, underWay: 0, outcomes: {} },
    skippedLogs: indexer.skippedLogs?.() ?? [],
    keys: sources.admission.keys.all().map(key => key.usage()),
    refusedConnections: sources.admission.refusedConnections,
    eventLoops: { main: sources.eventLoop.state(), ...(indexing !== null && { indexing }) },
  }
}
