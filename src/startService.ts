import type { MikroORM } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { Registry, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import { type ChainSource, createChainSource } from '#chain/chainSource.ts'
import { createRpc, type Rpc } from '#chain/rpc.ts'
import type { Config } from '#config'
import { claimDatabase } from '#database/chainState.ts'
import { startEmbedded } from '#database/embedded.ts'
import { migrate } from '#database/migrate.ts'
import { createOrm } from '#database/orm.ts'
import type { Queryable } from '#database/queryable.ts'
import { createReads } from '#database/reads/reads.ts'
import { readSnapshots } from '#database/reads/snapshots.ts'
import { readWatchRows } from '#database/watchRows.ts'
import { createAdmission } from '#gateway/admission.ts'
import { createDatabaseProbe, type DatabaseCondition } from '#gateway/databaseProbe.ts'
import { createRealtime } from '#gateway/realtime.ts'
import { createServer } from '#gateway/server.ts'
import { createIndexer } from '#indexer/indexer.ts'
import { restoreDirectory } from '#indexer/restoreDirectory.ts'
import { createSink } from '#indexer/sink.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { coinbase } from '#market/coinbase.ts'
import { coingecko } from '#market/coingecko.ts'
import { createEthUsd } from '#market/ethUsd.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import type { Redactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'
import packageJson from '../package.json' with { type: 'json' }

export interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
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

async function startSteps({ config, redactor, logger }: ServiceOptions, stops: Stops): Promise<Omit<RunningService, 'stop'>> {
  const { databaseUrl, orm } = await openDatabase({ config, redactor, logger }, stops)
  const db: Queryable = orm.em.getKysely<unknown>()
  const { rpc, source, chainId } = await connectChain(config, logger, stops)
  const { weth, launchpads } = config.launchpads
  await claimDatabase(db, { chainId, genesisHash: (await source.header(0)).hash, weth, launchpads })

  const adapters = createAdapters(config.launchpads)
  const directory = restoreDirectory(adapters, await readWatchRows(db))
  const prices = createEthUsd({ providers: [coingecko(config.coingecko), coinbase(config.coinbase)], logger })
  prices.start()
  stops.push(() => prices.stop())

  const now = () => performance.now()
  const transaction = <T>(work: (db: Queryable) => Promise<T>) => orm.em.fork().transactional(em => work(em.getKysely<unknown>()))
  const ethUsd = () => prices.ethUsd()
  const sink = createSink({ transaction, chainId, weth, adapters, directory, ethUsd, now, logger })
  const indexer = createIndexer({ rpc, source, sink, watchlist: directory, confirmations: config.confirmations, logger })

  const history = {
    load: async (token: Parameters<Registry['get']>[0]) => (await readSnapshots(db, { chainId, addresses: [token] }))[0] ?? null,
  }
  const registry = new Registry({ history, quotes: prices, logger, now, date: () => new Date() })
  const admission = createAdmission(config, logger)
  const realtime = createRealtime({ registry, admission, config, logger, now })
  const reads = createReads({ db, chainId, weth, claimCall: claimCalls(adapters) })

  const probe = createDatabaseProbe({ ping: () => reads.ping(), now })
  let probed: DatabaseCondition | null = null
  const metrics = createMetrics({
    version: packageJson.version,
    chainId,
    indexer: () => indexer.view.state(),
    database: () => probed,
    pool: () => null,
    actors: () => registry.health(),
    realtime: () => realtime.realtime(),
    commitToDelivery: () => realtime.commitToDelivery(),
    ethUsd: () => prices.last(),
  })
  const server = createServer({
    config,
    logger,
    admission,
    reads,
    indexer: indexer.view,
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
    version: packageJson.version,
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
  indexer.blocks.subscribe(block => registry.dispatch(block))
  stops.push(() => indexer.stop())
  logger.info({ url, chainId, launchpads: launchpads.map(({ name }) => name), version: packageJson.version }, 'serving')
  return { url, databaseUrl }
}

async function openDatabase({ config, redactor, logger }: ServiceOptions, stops: Stops): Promise<{ databaseUrl: string; orm: MikroORM }> {
  let { databaseUrl } = config
  if (databaseUrl === null) {
    const embedded = await startEmbedded({ dataDir: config.dataDir, logger })
    stops.push(() => embedded.stop())
    databaseUrl = embedded.url
    redactor.add(secretsOf({ databaseUrl }))
  }
  await migrate(databaseUrl, logger)
  const orm = createOrm(databaseUrl, logger)
  stops.push(() => orm.close(true))
  return { databaseUrl, orm }
}

async function connectChain(config: Config, logger: Logger, stops: Stops): Promise<{ rpc: Rpc; source: ChainSource; chainId: number }> {
  const rpc = createRpc({ urls: config.rpcUrls, chainId: config.chainId, logger })
  stops.push(() => rpc.close())
  const chainId = await rpc.connect()
  return { rpc, source: createChainSource({ rpc }), chainId }
}

function claimCalls(adapters: readonly LaunchpadAdapter[]) {
  const byName = new Map(adapters.map(adapter => [adapter.launchpad, adapter]))
  return ({ launchpad, ...target }: Parameters<LaunchpadAdapter['claimCall']>[0] & { readonly launchpad: string }) =>
    byName.get(launchpad)?.claimCall(target) ?? null
}
