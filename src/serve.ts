import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createRegistry, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { repeat } from '#async/repeat.ts'
import type { BlockFeed } from '#bus/blockFeed.ts'
import { monotonicMs as now } from '#clock'
import type { Config } from '#config'
import { createEthUsd } from '#ethUsd/ethUsd.ts'
import { coinbase, coingecko } from '#ethUsd/priceProviders.ts'
import { createAdmission } from '#gateway/admission.ts'
import { watchCertificate } from '#gateway/certificateWatch.ts'
import { createDatabaseProbe } from '#gateway/databaseProbe.ts'
import { createKeptAnswers } from '#gateway/keptAnswers.ts'
import { openOperators } from '#gateway/operatorPolicy.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { createServer, type Server } from '#gateway/server.ts'
import { loadSite } from '#gateway/site.ts'
import type { IndexerView } from '#gateway/sources.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { databaseCause } from '#store/connection/databaseCause.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createReads, type ReadsOptions } from '#store/reads/reads.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { type EventLoopState, watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import type { MetadataState } from '#telemetry/metricRows.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import type { Redactor } from '#telemetry/redactor.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
/** Built by `npm run build`. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../dist/console', import.meta.url))

export interface ServeOptions {
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
  /** Receives every new ETH/USD price, and for how many ms it may be used. */
  readonly onPrice: (ethUsd: string, usableMs: number) => void
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/**
 * Starts actors and gateway, and then the feed of committed blocks. After a failed start the caller stops what was registered with
 * `onStop`.
 *
 * @returns the URL of the gateway
 */
export async function serve(options: ServeOptions): Promise<string> {
  const { config, logger, redactor, db, chainId, feed, indexer, onPrice, onStop } = options
  const { weth, launchpads } = config.launchpads
  const adapters = createAdapters({ weth, launchpads })
  const kept = createKeptAnswers(now)
  const prices = createEthUsd({
    providers: [coingecko(config), coinbase(config)],
    logger,
    onPrice: (ethUsd, usableMs) => {
      // Values in USD are of the price at the time of the answer.
      kept.changed(null)
      onPrice(ethUsd, usableMs)
    },
  })
  prices.start()
  onStop(() => prices.stop())

  const registry = createRegistry({
    load: addresses => readSnapshots(db, { chainId, addresses }),
    ethUsd: prices.ethUsd,
    onActivated: feed.watch,
    onPassivated: feed.unwatch,
    logger,
    now,
    date: () => new Date(),
  })
  const admission = createAdmission(config, logger)
  const realtime = createRealtime({ registry, admission, config, logger, now })
  const reads = createReads({ db, chainId, weth, ...creatorRewards(adapters) })

  const probeDatabase = createDatabaseProbe({ ping: () => reads.ping(), now, logger, causeOf: databaseCause, redact: redactor.text })
  const eventLoop = watchEventLoop({ logger, now, thread: 'main' })
  onStop(() => eventLoop.stop())
  const metrics = createMetrics({
    version,
    chainId,
    read: async () => ({
      indexer: indexer.state(),
      database: await probeDatabase(),
      actors: registry.health(),
      realtime: realtime.health(),
      commitToDelivery: realtime.commitToDelivery(),
      ethUsd: prices.last(),
      metadata: indexer.metadata?.() ?? { queued: null, underWay: 0, outcomes: {} },
      eventLoops: eventLoopsOf(eventLoop.state(), indexer.eventLoop?.() ?? null),
    }),
  })
  const site = config.role === 'indexer' ? null : await loadSite(CONSOLE_FOLDER)
  if (site === null && config.role !== 'indexer')
    logger.warn('the console is not built, so / answers 404: npm run build makes it, for the next start')
  const server = createServer({
    config,
    logger,
    admission,
    operators: await openOperators({ config, logger, redactor }),
    reads,
    kept,
    indexer,
    feed: feed.health,
    ethUsd: prices,
    actors: registry,
    realtime,
    metrics,
    probeDatabase,
    chainId,
    version,
    site,
    now,
  })
  const { url } = await server.listen(config.host, config.port)
  if (config.tls !== null) onStop(renewCertificateOf(server, config.tls, logger))
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, registry.sweep)
  onStop(async () => {
    stopSweeping()
    await server.close()
    registry.stop()
  })

  feed.start({ ...registry, changed: kept.changed })
  onStop(() => feed.stop())
  logger.info({ url, role: config.role, chainId, launchpads: launchpads.map(({ name }) => name), version }, 'serving')
  return url
}

function eventLoopsOf(main: EventLoopState, indexing: EventLoopState | null): Readonly<Record<string, EventLoopState>> {
  return indexing === null ? { main } : { main, indexing }
}

/** A certificate is renewed when its files change, within a minute or on SIGHUP. Returns how to stop that. */
function renewCertificateOf(server: Pick<Server, 'renewCertificate'>, files: NonNullable<Config['tls']>, logger: Logger): () => void {
  const watch = watchCertificate({ files, onRenewed: () => server.renewCertificate(), logger })
  process.on('SIGHUP', watch.check)
  return () => {
    process.off('SIGHUP', watch.check)
    watch.stop()
  }
}

function creatorRewards(adapters: readonly LaunchpadAdapter[]): Pick<ReadsOptions, 'claimCall' | 'vestedOf'> {
  const byName = new Map(adapters.map(adapter => [adapter.launchpad, adapter]))
  return {
    claimCall: ({ launchpad, ...target }) => byName.get(launchpad)?.claimCall(target) ?? null,
    vestedOf: ({ launchpad, ...times }) => byName.get(launchpad)?.vestedOf?.(times) ?? null,
  }
}
