import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createWatchedCandles } from '#actors/candles/watchedCandles.ts'
import { createEventChannels } from '#actors/events/eventChannels.ts'
import { createLists } from '#actors/lists/lists.ts'
import { createRegistry, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { repeat } from '#async/repeat.ts'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import type { AdmissionOptions } from '#gateway/admission.ts'
import { createAdmission } from '#gateway/admission.ts'
import { createDatabaseProbe } from '#gateway/databaseProbe.ts'
import { type GatewayReport, mergeActorsHealth, mergeFeeds, mergeLatencies, mergeRealtime } from '#gateway/gatewayReport.ts'
import { createKeptAnswers } from '#gateway/keptAnswers.ts'
import type { OperatorPolicy } from '#gateway/operatorPolicy.ts'
import { type GatewayPart, type ProcessView, processSources } from '#gateway/processView.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { healthOf } from '#gateway/realtimeReport.ts'
import type { RequestDeps } from '#gateway/requests.ts'
import { loadSite } from '#gateway/site.ts'
import type { IndexerView, Sources } from '#gateway/sources.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { databaseCause } from '#store/connection/databaseCause.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createReads, type ReadsOptions } from '#store/reads/reads.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { type EventLoopState, watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import type { MetadataState, MetricsReading } from '#telemetry/metricRows.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import { createRequestMetrics } from '#telemetry/requestMetrics.ts'

export const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}
const epochMs = () => Date.now()

/** Built by `npm run build`. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url))

export interface OpenGatewayOptions {
  /** With the launchpads of the database. */
  readonly config: Config
  readonly logger: Logger
  readonly redactor: Redactor
  readonly db: Queryable
  readonly chainId: number
  /** Not started yet. */
  readonly feed: BlockFeed
  readonly indexer: IndexerView & {
    /** Absent or `null`: the indexer is another process, which has its own metrics. */
    metadata?(): MetadataState | null
    eventLoop?(): EventLoopState | null
  }
  readonly ethUsd: Sources['ethUsd']
  readonly operators: OperatorPolicy
  /** The name of this thread in logs and metrics. */
  readonly thread: string
  readonly admission?: AdmissionOptions
  /** Speaks for all gateway threads of the process, of which this is one. */
  readonly processView: (part: GatewayPart) => ProcessView
}

export interface OpenedGateway {
  /** What answers requests is made of. */
  readonly sources: RequestDeps
  readonly part: GatewayPart
  /** Values in USD are of the price at the time of the answer. */
  priceChanged(): void
  /** Begins to pass on committed blocks. */
  start(): void
  /** To be called when no connection is open any more. */
  stop(): Promise<void>
}

/** Everything of a gateway but what accepts connections: actors, connections, routes. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenedGateway> {
  const { config, logger, redactor, db, chainId, feed, indexer, ethUsd, operators, thread } = options
  const { weth, launchpads } = config.launchpads
  const adapters = createAdapters({ weth, launchpads })
  const kept = createKeptAnswers(now)
  const registry = createRegistry({
    load: addresses => readSnapshots(db, { chainId, addresses }),
    ethUsd: ethUsd.ethUsd,
    onActivated: feed.watch,
    onPassivated: feed.unwatch,
    logger,
    now,
    date: () => new Date(),
  })
  const admission = createAdmission(config, logger, options.admission)
  const reads = createReads({ db, chainId, weth, ...creatorRewards(adapters) })
  const channels = createEventChannels({ read: reads.channelEvents, ethUsd: ethUsd.ethUsd, logger, now })
  const lists = createLists({ read: reads.tokens, ethUsd: ethUsd.ethUsd, logger, epochMs })
  const candles = createWatchedCandles({ read: reads.candles, logger, epochMs })
  const realtime = createRealtime({ registry, channels, lists, candles, admission, config, logger, now, epochMs })
  const probeDatabase = createDatabaseProbe({ ping: () => reads.ping(), now, logger, causeOf: databaseCause, redact: redactor.text })
  const eventLoop = watchEventLoop({ logger, now, thread })
  const requests = createRequestMetrics()

  const part: GatewayPart = {
    report: async (): Promise<GatewayReport> => ({
      actors: registry.health(),
      realtime: realtime.report(),
      feed: feed.health(),
      commitToDelivery: realtime.commitToDelivery(),
      requests: await requests.read(),
      eventLoop: { thread, ...eventLoop.state() },
    }),
    listActors: registry.list,
    actor: registry.get,
  }
  const view = options.processView(part)
  const whole = processSources(view)
  const readMetrics = async (): Promise<MetricsReading> => {
    const [reports, runtime, database, price] = await Promise.all([view.reports(), view.runtime(), probeDatabase(), ethUsd.last()])
    const [first, ...others] = reports
    const indexing = indexer.eventLoop?.() ?? null
    return {
      indexer: indexer.state(),
      database,
      feed: mergeFeeds([first.feed, ...others.map(({ feed }) => feed)]),
      actors: mergeActorsHealth(reports.map(({ actors }) => actors)),
      realtime: healthOf(mergeRealtime(reports.map(report => report.realtime))),
      commitToDelivery: mergeLatencies([first.commitToDelivery, ...others.map(({ commitToDelivery }) => commitToDelivery)]),
      ethUsd: price,
      metadata: indexer.metadata?.() ?? { queued: null, underWay: 0, outcomes: {} },
      eventLoops: {
        ...Object.fromEntries(reports.map(report => [report.eventLoop.thread, report.eventLoop])),
        ...(runtime.eventLoop !== null && { main: runtime.eventLoop }),
        ...(indexing !== null && { indexing }),
      },
      requests: reports.map(report => report.requests),
      runtime: [runtime.metrics],
    }
  }
  const site = config.role === 'indexer' ? null : await loadSite(CONSOLE_FOLDER)
  if (site === null && config.role !== 'indexer')
    logger.warn('the console is not built, so / answers 404: npm run build makes it, for the next start')
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => {
    registry.sweep()
    channels.sweep()
    lists.sweep()
    candles.sweep()
  })
  const sources: RequestDeps = {
    config,
    logger,
    admission,
    operators,
    reads,
    kept,
    indexer,
    feed: whole.feed,
    processes: view.processes,
    ethUsd,
    actors: { ...whole.actors, sequence: registry.sequence },
    realtime: { ...realtime, ...whole.realtime },
    metrics: createMetrics({ version: VERSION, chainId, read: readMetrics, requests }),
    probeDatabase,
    chainId,
    version: VERSION,
    site,
    now,
  }
  return {
    sources,
    part,
    priceChanged: () => {
      kept.changed(null)
      lists.changed(null)
    },
    start: () =>
      feed.start({
        ...registry,
        changed: tokens => {
          const changed = tokens === null ? null : new Set(tokens)
          kept.changed(changed)
          channels.changed()
          lists.changed(changed)
          candles.changed(changed)
        },
      }),
    stop: async () => {
      stopSweeping()
      registry.stop()
      await channels.stop()
      await lists.stop()
      await candles.stop()
      eventLoop.stop()
    },
  }
}

function creatorRewards(adapters: readonly LaunchpadAdapter[]): Pick<ReadsOptions, 'claimCall' | 'vestedOf'> {
  const byName = new Map(adapters.map(adapter => [adapter.launchpad, adapter]))
  return {
    claimCall: ({ launchpad, ...target }) => byName.get(launchpad)?.claimCall(target) ?? null,
    vestedOf: ({ launchpad, ...times }) => byName.get(launchpad)?.vestedOf?.(times) ?? null,
  }
}
