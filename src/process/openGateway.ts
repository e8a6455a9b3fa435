import type { Logger } from 'pino'
import { createWatchedCandles, type WatchedCandles } from '#actors/candles.ts'
import { createEventChannels, type EventChannels } from '#actors/events/eventChannel.ts'
import { createLists, type Lists } from '#actors/lists.ts'
import { createRegistry, type Registry, type RegistryOptions, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { repeat } from '#async/pause.ts'
import type { BlockConsumer, BlockFeed } from '#bus/blockFeed.ts'
import { monotonicMs as now } from '#clock'
import type { Config, LaunchpadsConfig } from '#config'
import { createAdmission } from '#gateway/admission/admission.ts'
import { createDatabaseProbe } from '#gateway/health/readHealth.ts'
import { createTableSizes, type MeasuredIndexer, readProcessMetrics } from '#gateway/health/readProcessMetrics.ts'
import type { RequestDeps } from '#gateway/http/requests.ts'
import { createResponseCache, type ResponseCache } from '#gateway/http/responseCache.ts'
import { loadSite } from '#gateway/http/site.ts'
import type { IndexerView, Sources } from '#gateway/http/sources.ts'
import type { OperatorPolicy } from '#gateway/operator.ts'
import { createRealtime } from '#gateway/realtime/realtime.ts'
import { integrationRoutes } from '#integrations/integrationRoutes.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { packagePath, VERSION } from '#package'
import type { Reads } from '#resources/reads.ts'
import { databaseCause } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readTableSizes } from '#store/reads/chainStats.ts'
import { createReads, type ReadsOptions } from '#store/reads/reads.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import type { Redactor } from '#telemetry/redactor.ts'

const epochMs = () => Date.now()

export interface OpenGatewayOptions {
  /** With the launchpads of the index at present. */
  readonly config: Config
  readonly logger: Logger
  readonly redactor: Redactor
  readonly db: Queryable
  readonly chainId: number
  /** The schema of the index that is served now. */
  readonly schema: () => string
  /** Not started yet. */
  readonly feed: BlockFeed
  readonly indexer: IndexerView & MeasuredIndexer
  readonly ethUsd: Sources['ethUsd']
  readonly operators: OperatorPolicy
  /** All processes on the database. */
  readonly processes: Sources['processes']
}

export interface OpenedGateway {
  /** What the handlers of requests need. */
  readonly sources: RequestDeps
  /** Drops cached responses and renews lists, because their values in USD are of an earlier price. */
  priceChanged(): void
  /** Begins to pass on committed blocks. */
  start(): void
  /** To be called when no connection is open any more. */
  stop(): Promise<void>
}

/** Everything of a gateway except the server that accepts connections: actors, connections, routes. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenedGateway> {
  const { config, logger, redactor, db, chainId, schema, feed, indexer, ethUsd, operators, processes } = options
  const { weth } = config.launchpads
  const responses = createResponseCache(now)
  const admission = createAdmission(config, logger)
  const reads = createReads({ db, chainId, weth, ...creatorRewards(() => config.launchpads) })
  const { stop: stopActors, ...actors } = createGatewayActors({
    load: addresses => readSnapshots(db, { chainId, addresses }),
    reads,
    ethUsd: ethUsd.ethUsd,
    onActivated: feed.watch,
    onPassivated: feed.unwatch,
    logger,
    now,
    epochMs,
  })
  const { registry } = actors
  const realtime = createRealtime({ ...actors, admission, config, logger, now, epochMs })
  const probeDatabase = createDatabaseProbe({ ping: () => reads.ping(), now, logger, causeOf: databaseCause, redact: redactor.text })
  const tableSizes = createTableSizes(() => readTableSizes(db), now)
  const eventLoop = watchEventLoop({ logger, now, thread: 'main' })

  const site = config.role === 'indexer' ? null : await loadSite(packagePath('dist/console'))
  if (site === null && config.role !== 'indexer')
    logger.warn('the console is not built, so / answers 404: npm run build makes it, for the next start')
  const sources: RequestDeps = {
    integrations: integrationRoutes,
    config,
    logger,
    admission,
    operators,
    reads,
    responses,
    indexer,
    feed: feed.health,
    processes,
    ethUsd,
    actors: registry,
    realtime: { ...realtime, health: realtime.report },
    metrics: createMetrics({
      version: VERSION,
      chainId,
      schema,
      read: () =>
        readProcessMetrics({
          config,
          indexer,
          probeDatabase,
          tableSizes,
          ethUsd,
          feed,
          actors: registry,
          realtime: { health: realtime.report, commitToDelivery: realtime.commitToDelivery },
          admission,
          eventLoop,
        }),
    }),
    probeDatabase,
    chainId,
    version: VERSION,
    site,
    now,
  }
  return {
    sources,
    priceChanged: () => {
      responses.changed(null)
      actors.lists.changed(null)
    },
    start: () => feed.start(createBlockConsumer({ ...actors, responses, yieldTo: setImmediate })),
    stop: async () => {
      await stopActors()
      eventLoop.stop()
    },
  }
}

/** @param launchpads those of the index at present */
function creatorRewards(launchpads: () => LaunchpadsConfig): Pick<ReadsOptions, 'claimCall' | 'vestedOf'> {
  let known: { readonly launchpads: LaunchpadsConfig; readonly byName: ReadonlyMap<string, LaunchpadAdapter> } | null = null
  const adapterOf = (name: string) => {
    const present = launchpads()
    if (known?.launchpads !== present) {
      known = { launchpads: present, byName: new Map(createAdapters(present).map(adapter => [adapter.launchpad, adapter])) }
    }
    return known.byName.get(name)
  }
  return {
    claimCall: ({ launchpad, ...target }) => adapterOf(launchpad)?.claimCall(target) ?? null,
    vestedOf: ({ launchpad, ...times }) => adapterOf(launchpad)?.vestedOf?.(times) ?? null,
  }
}

export interface BlockConsumerOptions {
  readonly registry: Pick<Registry, 'dispatch' | 'sequence'>
  readonly responses: Pick<ResponseCache, 'changed'>
  readonly channels: Pick<EventChannels, 'changed'>
  readonly lists: Pick<Lists, 'changed'>
  readonly candles: Pick<WatchedCandles, 'changed'>
  /** Runs a function after what is under way and its microtasks: `setImmediate`. */
  readonly yieldTo: (work: () => void) => void
}

/**
 * A gateway handles a commit in this order: it forgets cached responses, sends the updates, and then reads watched channels, lists and
 * candles again. The feed dispatches, or asks the database for the states, right after `changed`, and microtasks of that turn write the
 * updates.
 */
export function createBlockConsumer({ registry, responses, channels, lists, candles, yieldTo }: BlockConsumerOptions): BlockConsumer {
  return {
    changed: tokens => {
      const changed = tokens === null ? null : new Set(tokens)
      responses.changed(changed)
      yieldTo(() => {
        channels.changed()
        lists.changed(changed)
        candles.changed(changed)
      })
    },
    dispatch: registry.dispatch,
    sequence: registry.sequence,
  }
}

export interface GatewayActorsOptions extends RegistryOptions {
  readonly reads: Pick<Reads, 'channelEvents' | 'tokens' | 'tokenCount' | 'candles'>
}

/** The actors of one gateway. */
export interface GatewayActors {
  readonly registry: Registry
  readonly channels: EventChannels
  readonly lists: Lists
  readonly candles: WatchedCandles
  stop(): Promise<void>
}

/** Creates the actors, and sweeps those that have had no subscribers for a while. */
function createGatewayActors({ reads, ...options }: GatewayActorsOptions): GatewayActors {
  const registry = createRegistry(options)
  const channels = createEventChannels({ read: reads.channelEvents, ...options })
  const lists = createLists({ read: reads.tokens, count: reads.tokenCount, ...options })
  const candles = createWatchedCandles({ read: reads.candles, ...options })
  const all = [registry, channels, lists, candles]
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => {
    for (const actors of all) actors.sweep()
  })
  return {
    registry,
    channels,
    lists,
    candles,
    stop: async () => {
      stopSweeping()
      for (const actors of all) await actors.stop()
    },
  }
}
