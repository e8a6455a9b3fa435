import type { Sources } from '#gateway/http/sources.ts'
import type { EventLoopState } from '#telemetry/eventLoopWatch.ts'
import type { MetadataState, MetricsReading } from '#telemetry/metricRows.ts'
import { mergeReports, type ProcessView } from './processView.ts'

/** Absent or `null`: the indexer is another process, which has its own metrics. */
export interface MeasuredIndexer {
  metadata?(): MetadataState | null
  skippedLogs?(): MetricsReading['skippedLogs']
  eventLoop?(): EventLoopState | null
}

interface MetricsSources extends Pick<Sources, 'probeDatabase' | 'ethUsd'> {
  readonly indexer: Pick<Sources['indexer'], 'state'> & MeasuredIndexer
}

/** What `/metrics` shows: all threads of the process together. */
export async function readProcessMetrics(
  view: Pick<ProcessView, 'reports' | 'runtime'>,
  { indexer, probeDatabase, ethUsd }: MetricsSources,
): Promise<MetricsReading> {
  const [reports, runtime, database, price] = await Promise.all([view.reports(), view.runtime(), probeDatabase(), ethUsd.last()])
  const indexing = indexer.eventLoop?.() ?? null
  return {
    ...mergeReports(reports),
    indexer: indexer.state(),
    database,
    ethUsd: price,
    metadata: indexer.metadata?.() ?? { queued: null, underWay: 0, outcomes: {} },
    skippedLogs: indexer.skippedLogs?.() ?? [],
    eventLoops: {
      ...Object.fromEntries(reports.map(report => [report.eventLoop.thread, report.eventLoop])),
      ...(runtime.eventLoop !== null && { main: runtime.eventLoop }),
      ...(indexing !== null && { indexing }),
    },
    requests: reports.map(report => report.requests),
    runtime: [runtime.metrics],
  }
}
