import process from 'node:process'
import type { Config } from '#config'
import { createEthUsd, type EthUsdFeed } from '#ethUsd/ethUsd.ts'
import { coinbase, coingecko } from '#ethUsd/priceProviders.ts'
import { readHealth } from '#gateway/health/readHealth.ts'
import { watchCertificate } from '#gateway/listening/certificateWatch.ts'
import { createServer, type Server } from '#gateway/listening/server.ts'
import { openOperators } from '#gateway/operator/operatorPolicy.ts'
import { VERSION } from '#package'
import type { ProcessState } from '#resources/processes.ts'
import { announceProcess } from './announceProcess.ts'
import { watchApiKeys } from './apiKeysWatch.ts'
import { GATEWAY_PROCESS } from './gatewayProcess.ts'
import { type OpenedGateway, type OpenGatewayOptions, openGateway } from './openGateway.ts'
import { createPresentEthUsd } from './presentEthUsd.ts'
import { alsoOnHangup } from './watchFile.ts'

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
