import { setTimeout as pause } from 'node:timers/promises'
import type { Sources } from '#gateway/http/sources.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { droppedLogLines } from '#telemetry/logger.ts'
import type { MetadataState, MetricsReading } from '#telemetry/metrics.ts'
import { launchpadProgress } from './readHealth.ts'

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

type TableSizes = MetricsReading['tables']

/** How old the sizes may be. Prometheus asks every gateway four times a minute. */
const LIFETIME_MS = 60_000
/** The longest time that a scrape waits for the sizes. */
const PATIENCE_MS = 1_000

/**
 * Creates a reader of the tables' sizes, which are at most a minute old. If the database takes longer than a second, it gives the last ones
 * that were read. Never rejects.
 *
 * @param now monotonic milliseconds
 */
export function createTableSizes(read: () => Promise<TableSizes>, now: () => number): () => Promise<TableSizes> {
  let sizes: TableSizes = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  const renew = async (): Promise<void> => {
    try {
      sizes = await read()
      readAtMs = now()
    } catch {
      // The probe of the database reports the failure. The next scrape reads the sizes again.
    } finally {
      reading = null
    }
  }

  return async () => {
    if (now() - readAtMs < LIFETIME_MS) return sizes
    reading ??= renew()
    await Promise.race([reading, pause(PATIENCE_MS, undefined, { ref: false })])
    return sizes
  }
}
