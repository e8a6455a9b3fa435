import process from 'node:process'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { createEthUsd, type EthUsdFeed } from '#ethUsd/ethUsd.ts'
import { coinbase, coingecko } from '#ethUsd/priceProviders.ts'
import { viewOfOne } from '#gateway/health/processView.ts'
import { readHealth } from '#gateway/health/readHealth.ts'
import { watchCertificate } from '#gateway/listening/certificateWatch.ts'
import { createServer } from '#gateway/listening/server.ts'
import { openOperators } from '#gateway/operator/operatorPolicy.ts'
import { VERSION } from '#package'
import type { ProcessState } from '#resources/processes.ts'
import { createRuntimeMetrics } from '#telemetry/runtimeMetrics.ts'
import { announceProcess } from './announceProcess.ts'
import { type OpenedGateway, type OpenGatewayOptions, openGateway } from './openGateway.ts'

export interface ServeOptions extends Pick<OpenGatewayOptions, 'config' | 'logger' | 'redactor' | 'db' | 'chainId' | 'feed' | 'indexer'> {
  /** URL of the database that the indexer writes. */
  readonly databaseUrl: string
  /** Receives every new ETH/USD price, and for how many ms it may be used. */
  readonly onPrice: (ethUsd: string, usableMs: number) => void
  /** Registers how to stop something; called in the order of the starts. */
  readonly onStop: (stop: () => Promise<void> | void) => void
}

/**
 * Starts actors and gateway in this thread, and then the feed of committed blocks. After a failed start the caller stops what was
 * registered with `onStop`.
 *
 * @returns the URL of the gateway
 */
export async function serve(options: ServeOptions): Promise<string> {
  const { config, logger, redactor, feed, onStop } = options
  let gateway: OpenedGateway | null = null
  let processes: () => readonly ProcessState[] = () => []
  const prices = startPrices(options, (ethUsd, usableMs) => {
    gateway?.priceChanged()
    options.onPrice(ethUsd, usableMs)
  })
  const runtime = createRuntimeMetrics()
  gateway = await openGateway({
    ...options,
    ethUsd: prices,
    operators: await openOperators({ config, logger, redactor }),
    thread: 'main',
    processView: part => viewOfOne(part, { runtime, processes: () => processes() }),
  })
  onStop(gateway.stop)
  const server = createServer({ ...gateway.sources, config })
  onStop(() => server.close())
  const { url } = await server.listen(config.host, config.port)
  if (config.tls !== null) onStop(watchFiles(config.tls, logger, server.renewCertificate))

  gateway.start()
  onStop(() => feed.stop())
  const { sources } = gateway
  processes = announceProcess({ ...options, url, readHealth: async () => (await readHealth(sources)).health })
  logServing(options, url)
  return url
}

export function startPrices(
  { config, logger, onStop }: Pick<ServeOptions, 'config' | 'logger' | 'onStop'>,
  onPrice: ServeOptions['onPrice'],
): EthUsdFeed {
  const prices = createEthUsd({ providers: [coingecko(config), coinbase(config)], logger, onPrice })
  prices.start()
  onStop(() => prices.stop())
  return prices
}

/** A certificate is renewed when its files change, within a minute or on SIGHUP. Returns how to stop that. */
export function watchFiles(files: NonNullable<Config['tls']>, logger: Logger, onRenewed: () => void): () => void {
  const watch = watchCertificate({ files, onRenewed, logger })
  process.on('SIGHUP', watch.check)
  return () => {
    process.off('SIGHUP', watch.check)
    watch.stop()
  }
}

export function logServing({ config, logger, chainId }: Pick<ServeOptions, 'config' | 'logger' | 'chainId'>, url: string): void {
  const launchpads = config.launchpads.launchpads.map(({ name }) => name)
  logger.info({ url, role: config.role, chainId, threads: config.gatewayThreads, launchpads, version: VERSION }, 'serving')
}
