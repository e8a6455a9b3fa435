import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { MikroORM } from '@mikro-orm/postgresql'
import type { Logger } from 'pino'
import { Registry, SWEEP_INTERVAL_MS } from '#actors/registry.ts'
import type { Config } from '#config'
import { loadConfig } from '#configuration/loadConfig.ts'
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
import { startIndexing } from '#indexing/startIndexing.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import { ADAPTER_KINDS, createAdapters } from '#launchpads/registry.ts'
import { coinbase } from '#market/coinbase.ts'
import { coingecko } from '#market/coingecko.ts'
import { createEthUsd } from '#market/ethUsd.ts'
import { watchEventLoop } from '#telemetry/eventLoopWatch.ts'
import { createTurns, type Turns } from '#telemetry/inTurns.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createMetrics } from '#telemetry/metrics.ts'
import { createRedactor, type Redactor } from '#telemetry/redactor.ts'
import { secretsOf } from '#telemetry/secrets.ts'

/*
 * npm start. Exit codes: 0 it was asked to stop, 75 it could not start and may be started again as it is, 1 something has to be changed first.
 */

const EXIT_TRY_AGAIN = 75
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
/** Made by `npm run build`. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../dist/console', import.meta.url))
/** A stop that takes longer is cut off: the supervisor would only kill it. */
const STOP_TIMEOUT_MS = 20_000

/**
 * Of both threads' heaps: twice what lived after the last collection, at most. V8's own factor is up to four where there is much memory, and a
 * backfill then holds 110 MiB more, for no less processor time (0016). No limit: a directory of millions of tokens still fits.
 */
const HEAP_GROWTH_PERCENT = 100

async function main(): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const config = loadConfig(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS })
  const redactor = createRedactor(secretsOf(config))
  const turns = createTurns()
  const logger = createLogger({ ...config.log, redactor, turns })
  const onCrash = reportCrashes(logger)
  // Listened to from the beginning: a stop that is asked for during the start comes after it, and leaves nothing running.
  const requested = stopRequested(logger)
  const lost = Promise.withResolvers<number>()
  const onDatabaseLost = () => {
    logger.fatal('embedded PostgreSQL is gone and does not start again; see postgres.log in DATA_DIR')
    lost.resolve(EXIT_TRY_AGAIN)
  }
  const stop = await start({ config, redactor, logger, turns, onDatabaseLost, onCrash })
  const exitCode = await Promise.race([requested.then(() => 0), lost.promise])
  setTimeout(() => {
    logger.fatal({ timeoutMs: STOP_TIMEOUT_MS }, 'stopping took too long')
    process.exit(exitCode === 0 ? 1 : exitCode)
  }, STOP_TIMEOUT_MS).unref()
  await stop()
  logger.info('stopped')
  return exitCode
}

async function start(options: ServiceOptions): Promise<() => Promise<void>> {
  const { redactor } = options
  try {
    const service = await startService(options)
    // For whoever started this process with a channel: the address, which a port of 0 leaves open.
    process.send?.({ type: 'listening', url: service.url, databaseUrl: service.databaseUrl })
    return service.stop
  } catch (error) {
    if (!(error instanceof TokenwireError)) throw error
    throw new TokenwireError(error.code, redactor.text(error.message), { retryable: error.retryable })
  }
}

/** Resolves with the first signal to stop, or when the process that started this one with a channel has gone. */
function stopRequested(logger: Logger): Promise<void> {
  return new Promise(resolve => {
    const request = (reason: string) => {
      logger.info({ reason }, 'stopping')
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, request)
    if (process.send !== undefined) process.once('disconnect', () => request('parent gone'))
  })
}

/**
 * A defect must not leave half a service behind: it is logged without secrets, and the process ends for its supervisor to start it again.
 *
 * @returns the same for what no handler of the process hears of
 */
function reportCrashes(logger: Logger): (err: unknown) => void {
  const crash = (err: unknown) => {
    logger.fatal({ err }, 'crashed')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  return crash
}

interface ServiceOptions {
  readonly config: Config
  readonly redactor: Redactor
  readonly logger: Logger
  /** With which it logs, beside other threads. */
  readonly turns: Turns
  /** The embedded database has died and does not come back. */
  readonly onDatabaseLost: () => void
  /** The indexing thread has ended by itself. */
  readonly onCrash: (error: unknown) => void
}

interface RunningService {
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
async function startService(options: ServiceOptions): Promise<RunningService> {
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
  const { config, logger, turns, onCrash } = options
  // It loads while the database starts.
  const thread = startIndexing({ config, turns, onCrash })
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

try {
  process.exit(await main())
} catch (error) {
  if (!(error instanceof TokenwireError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(error.retryable ? EXIT_TRY_AGAIN : 1)
}
