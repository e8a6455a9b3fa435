import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { Registry, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import type { Config } from '#config'
import { LOCKS } from '#database/advisoryLocks.ts'
import { startEmbedded } from '#database/embedded.ts'
import { migrate } from '#database/migrate.ts'
import { createOrm } from '#database/orm.ts'
import type { Queryable } from '#database/queryable.ts'
import { createReads } from '#database/reads/reads.ts'
import { readSnapshots } from '#database/reads/snapshots.ts'
import { holdSessionLock } from '#database/sessionLock.ts'
import { TokenwireError } from '#errors'
import { createAdmission } from '#gateway/admission.ts'
import { createDatabaseProbe, type DatabaseCondition } from '#gateway/databaseProbe.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { createServer } from '#gateway/server.ts'
import { loadSite } from '#gateway/site.ts'
import type { StartedThread } from '#indexing/startIndexing.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { coinbase } from '#market/coinbase.ts'
import { coingecko } from '#market/coingecko.ts'
import { createEthUsd } from '#market/ethUsd.ts'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
/** Made by `npm run build`. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../dist/console', import.meta.url))

export interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
  /** The embedded database has died and does not come back. */
  readonly onDatabaseLost: () => void
  /** The indexing thread, which has opened nothing yet. Closed with the rest, also when the start fails. */
  readonly thread: StartedThread
}

export interface RunningService {
  readonly url: string
  /** With its password. */
  readonly databaseUrl: string
  /** Stops everything in the reverse order of its start: first no more commits, then no more clients, then what both stood on. */
  stop(): Promise<void>
}

/** What was started so far and has to be stopped, newest first. */
type Stops = (() => Promise<void> | void)[]

/**
 * Builds the service and starts it in order: database, chain, actors, gateway, indexer. Each step stands on the ones before it.
 *
 * @throws `TokenwireError` saying what stands in the way; what was started until then is stopped
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const stops: Stops = []
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step()
  }
  try {
    return { ...(await startSteps(options, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startSteps(options: ServiceOptions, stops: Stops): Promise<Omit<RunningService, 'stop'>> {
  const { config, logger, thread } = options
  stops.push(() => thread.close())
  const { databaseUrl, reading } = await openDatabase(options, stops)
  const db: Queryable = reading.em.getKysely<unknown>()
  stops.push(() => thread.close())
  const indexing = await thread.open(databaseUrl)
  const { chainId, launchpads, view } = indexing
  const { weth } = config.launchpads
  const adapters = createAdapters({ weth, launchpads })
  const prices = createEthUsd({ providers: [coingecko(config.coingecko), coinbase(config.coinbase)], logger, onPrice: indexing.priced })
  prices.start()
  stops.push(() => prices.stop())

  const now = () => performance.now()
  const history = {
    load: async (token: Parameters<Registry['get']>[0]) => (await readSnapshots(db, { chainId, addresses: [token] }))[0] ?? null,
  }
  const watching = { began: indexing.watch, ended: indexing.unwatch }
  const registry = new Registry({ history, quotes: prices, logger, now, date: () => new Date(), watching })
  const admission = createAdmission(config, logger)
  const realtime = createRealtime({ registry, admission, config, logger, now })
  const reads = createReads({ db, chainId, weth, claimCall: claimCalls(adapters) })

  const probe = createDatabaseProbe({ ping: () => reads.ping(), now })
  let probed: DatabaseCondition | null = null
  const eventLoop = watchEventLoop({ logger, now, thread: 'main' })
  stops.push(() => eventLoop.stop())
  const metrics = createMetrics({
    version: version,
    chainId,
    indexer: () => view.state(),
    database: () => probed,
    pool: () => null,
    actors: () => registry.health(),
    realtime: () => realtime.realtime(),
    commitToDelivery: () => realtime.commitToDelivery(),
    ethUsd: () => prices.last(),
    metadata: () => view.metadata(),
    eventLoops: () => ({ main: eventLoop.state(), indexing: view.eventLoop() }),
  })
  const site = await loadSite(CONSOLE_FOLDER)
  if (site === null) logger.warn('the console is not built, so / answers 404: npm run build makes it, for the next start')
  const server = createServer({
    config,
    logger,
    admission,
    reads,
    indexer: view,
    ethUsd: prices,
    actors: registry,
    realtime,
    metrics: {
      contentType: metrics.contentType,
      metrics: async () => {
        probed = await probe()
        return metrics.metrics()
      },
    },
    openEventStream: realtime.openEventStream,
    registerWebSocket: realtime.registerWebSocket,
    closeRealtime: realtime.close,
    chainId,
    version: version,
    site,
    onAnswered: ({ route, method, status, durationMs }) =>
      metrics.observeRequest({ route: route ?? 'unknown', method, status, durationMs }),
  })
  const { url } = await server.listen(config.host, config.port)
  const sweeping = setInterval(() => registry.sweep(), SWEEP_INTERVAL_MS)
  stops.push(async () => {
    clearInterval(sweeping)
    await server.close()
    registry.stop()
  })

  // The one subscriber of the stream: everything upstream runs because of it.
  indexing.blocks.subscribe(block => registry.dispatch(block))
  stops.push(() => indexing.stop())
  logger.info({ url, chainId, launchpads: launchpads.map(({ name }) => name), version: version }, 'serving')
  return { url, databaseUrl }
}

async function openDatabase(
  { config, redactor, logger, onDatabaseLost }: ServiceOptions,
  stops: Stops,
): Promise<{ databaseUrl: string; reading: MikroORM }> {
  let { databaseUrl } = config
  if (databaseUrl === null) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, logger, onLost: onDatabaseLost })
    stops.push(() => embedded.stop())
    databaseUrl = embedded.url
    redactor.add(secretsOf({ databaseUrl }))
  }
  await migrate(databaseUrl, logger)
  const lock = await holdSessionLock({
    url: databaseUrl,
    key: LOCKS.writer,
    applicationName: 'tokenwire-writer',
    what: 'the right to index into the database',
    logger,
  })
  if (lock === null) {
    throw new TokenwireError('database_taken', 'DATABASE_URL: another running Tokenwire indexes into this database; stop it first', {
      retryable: true,
    })
  }
  stops.push(() => lock.release())
  const reading = createOrm(databaseUrl, logger, { applicationName: 'tokenwire-reads', statementTimeoutMs: 10_000 })
  stops.push(() => reading.close(true))
  return { databaseUrl, reading }
}

function claimCalls(adapters: readonly LaunchpadAdapter[]) {
  const byName = new Map(adapters.map(adapter => [adapter.launchpad, adapter]))
  return ({ launchpad, ...target }: Parameters<LaunchpadAdapter['claimCall']>[0] & { readonly launchpad: string }) =>
    byName.get(launchpad)?.claimCall(target) ?? null
}
