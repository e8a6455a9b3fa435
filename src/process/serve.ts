import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import process from 'node:process'
import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import { repeat } from '#async/pause.ts'
import { type ProcessReports, startProcessReports } from '#bus/indexerReport.ts'
import { monotonicMs as now } from '#clock'
import type { Config, LaunchpadsConfig } from '#config'
import { formatDecimal } from '#domain/decimal.ts'
import { createEthUsd, type EthUsdFeed } from '#ethUsd/ethUsd.ts'
import { coinbase, coingecko } from '#ethUsd/priceProviders.ts'
import { readHealth } from '#gateway/health/readHealth.ts'
import { watchCertificate } from '#gateway/listening/certificateWatch.ts'
import { createServer, type Server } from '#gateway/listening/server.ts'
import { openOperators } from '#gateway/operator.ts'
import { openDraft } from '#index/project/draft.ts'
import { ethUsdOf, valuationOf } from '#index/project/values.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { VERSION } from '#package'
import type { EthUsd, EthUsdPrices } from '#resources/ethUsd.ts'
import type { IndexerHealth, ProcessState } from '#resources/health.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { loadRates } from '#store/rows/loadRows.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'
import { type OpenedGateway, type OpenGatewayOptions, openGateway } from './openGateway.ts'
import { alsoOnHangup, watchApiKeys } from './watchFile.ts'

export interface ServeOptions
  extends Pick<OpenGatewayOptions, 'config' | 'logger' | 'redactor' | 'db' | 'chainId' | 'schema' | 'feed' | 'indexer'> {
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  /** Receives every new ETH/USD price, and for how many ms it may be used. */
  readonly onPrice: (ethUsd: string, usableMs: number) => void
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: () => Promise<void> | void) => void
}

export interface Served {
  readonly url: string
  /** `null`: none that may be shown. */
  readonly ethUsd: () => string | null
}

/**
 * Starts actors and gateway, then the feed of committed blocks, and then the gateway processes of `GATEWAYS`. After a failed start the
 * caller stops what was registered with `onStop`.
 *
 * @returns the URL of the gateway, and the present price of ETH in USD
 */
export async function serve(options: ServeOptions): Promise<Served> {
  const { config, logger, redactor, feed, onStop } = options
  let gateway: OpenedGateway | null = null
  let processes: () => readonly ProcessState[] = () => []
  const prices = startPrices(options, (ethUsd, usableMs) => {
    gateway?.priceChanged()
    options.onPrice(ethUsd, usableMs)
  })
  const ethUsd = createPresentEthUsd({
    provided: prices,
    db: options.db,
    launchpads: () => config.launchpads,
    onChanged: () => gateway?.priceChanged(),
    logger,
  })
  onStop(ethUsd.stop)
  gateway = await openGateway({
    ...options,
    ethUsd,
    operators: await openOperators({ config, logger, redactor }),
    processes: () => processes(),
  })
  onStop(gateway.stop)
  const server = createServer({ ...gateway.sources, config })
  onStop(() => server.close())
  const { url, ownUrl } = await listen(server, config)
  if (config.tls !== null) onStop(alsoOnHangup(watchCertificate({ files: config.tls, onRenewed: server.renewCertificate, logger })))

  if (config.apiKeysFile !== null)
    onStop(watchApiKeys({ file: config.apiKeysFile, onChanged: gateway.sources.admission.keys.replace, logger }))

  gateway.start()
  onStop(() => feed.stop())
  const { sources } = gateway
  processes = announceProcess({ ...options, url: ownUrl, readHealth: async () => (await readHealth(sources)).health })
  const { launchpads } = config.launchpads
  const served = { role: config.role, chainId: options.chainId, launchpads: launchpads.map(({ name }) => name), version: VERSION }
  if (config.gateways === 0) {
    logger.info({ url, ...served }, 'serving')
    return { url, ethUsd: ethUsd.ethUsd }
  }
  const { startGatewayProcesses } = await import('./gatewayProcesses.ts')
  const gatewaysUrl = await startGatewayProcesses(options)
  logger.info({ url: gatewaysUrl, statusUrl: ownUrl, gateways: config.gateways, ...served }, 'serving')
  return { url: gatewaysUrl, ethUsd: ethUsd.ethUsd }
}

/** A gateway process shares its port with others, and has one of its own besides. A process that starts gateways has only its own. */
async function listen(server: Server, config: Config): Promise<{ readonly url: string; readonly ownUrl: string }> {
  const { host, port, statusPort } = config
  if (process.env[GATEWAY_PROCESS] !== undefined) {
    // Its successor listens there before it stops.
    const { url: ownUrl } = await server.listen({ host, port: statusPort, isShared: true })
    const { url } = await server.listen({ host, port, isShared: true })
    return { url, ownUrl }
  }
  const { url } = await server.listen({ host, port: config.gateways === 0 ? port : statusPort })
  return { url, ownUrl: url }
}

function startPrices(
  { config, logger, onStop }: Pick<ServeOptions, 'config' | 'logger' | 'onStop'>,
  onPrice: ServeOptions['onPrice'],
): EthUsdFeed {
  const prices = createEthUsd({ providers: [coingecko(config), coinbase(config)], logger, onPrice })
  prices.start()
  onStop(() => prices.stop())
  return prices
}

export interface AnnounceProcessOptions {
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  readonly logger: Logger
  readonly onStop: (stop: () => Promise<void>) => void
  /** The URL at which the process serves. */
  readonly url: string
  /** `null`: the health is not known at present. */
  readonly readHealth: () => Promise<IndexerHealth | null>
}

/** Reports this process to the other processes on its database, and receives their reports. */
function announceProcess({ databaseUrl, logger, url, readHealth, onStop }: AnnounceProcessOptions): ProcessReports['list'] {
  const fixed = { id: randomUUID(), host: hostname(), pid: process.pid, url }
  const reports = startProcessReports({
    databaseUrl,
    logger,
    now,
    read: async () => {
      const health = await readHealth()
      if (health === null) return null
      const { status, role, standby, version, uptimeSeconds, indexedBlock, lagBlocks, database, feed, realtime } = health
      const { webSocketConnections, eventStreams, subscriptions } = realtime
      const clients = { connections: webSocketConnections + eventStreams, subscriptions }
      return { ...fixed, status, role, standby, version, uptimeSeconds, indexedBlock, lagBlocks, database, feed, ...clients }
    },
  })
  onStop(reports.stop)
  return reports.list
}

/** Each change of the price makes cached answers with values in USD outdated. */
const READ_EVERY_MS = 10_000

export interface PresentEthUsdOptions {
  /** What price providers say. */
  readonly provided: Pick<EthUsdFeed, 'get' | 'ethUsd' | 'last'>
  readonly db: Queryable
  /** The launchpads that the index has at present. */
  readonly launchpads: () => LaunchpadsConfig
  readonly onChanged: () => void
  readonly logger: Logger
  /** Default: `repeat` every ten seconds. */
  readonly schedule?: (read: () => void) => () => void
}

/**
 * The price of ETH that values the present. It is that of the pools of pegged currencies as of the newest indexed block, so that present
 * values fit those of the past; without such a pool, what price providers say.
 */
export function createPresentEthUsd(options: PresentEthUsdOptions): EthUsdPrices & { stop(): Promise<void> } {
  const { provided, db, launchpads, onChanged, logger, schedule = read => repeat(READ_EVERY_MS, read) } = options
  let pooled: string | null = null
  let pooledAtMs = 0
  const reading = coalesce<null>(
    async () => {
      const newer = await readPooledEthUsd(db, launchpads())
      pooledAtMs = Date.now()
      if (newer === pooled) return
      pooled = newer
      onChanged()
    },
    // The reads of every request fail then, too, and say so.
    error => logger.debug({ err: error }, 'the price of ETH by pools could not be read'),
  )
  const pooledPrice = (): EthUsd | null => {
    if (pooled === null) return null
    const ageSeconds = Math.max(0, (Date.now() - pooledAtMs) / 1_000)
    return { price: pooled, currency: 'USD', source: 'pool', fetchedAt: new Date(pooledAtMs).toISOString(), ageSeconds, stale: false }
  }
  const read = () => reading.request(null)
  const cancel = schedule(read)
  read()
  return {
    async get() {
      try {
        const given = await provided.get()
        return (given.stale ? pooledPrice() : null) ?? given
      } catch (error) {
        const price = pooledPrice()
        if (price === null) throw error
        return price
      }
    },
    last: provided.last,
    ethUsd: () => pooled ?? provided.ethUsd(),
    pooled: () => pooled,
    stop: () => {
      cancel()
      reading.stop()
      return reading.settled()
    },
  }
}

async function readPooledEthUsd(db: Queryable, launchpads: LaunchpadsConfig): Promise<string | null> {
  const valuation = valuationOf(launchpads, createAdapters(launchpads))
  if (valuation.dollars.length === 0) return null
  const draft = openDraft(await loadRates(db, valuation.dollars, valuation.weth))
  const price = ethUsdOf(draft, { ...valuation, providedEthUsd: null })
  return price === null ? null : formatDecimal(price)
}
