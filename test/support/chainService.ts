import { coingeckoAnswers, startPriceServer } from '#test/market/priceServer.ts'
import type { TestChain } from './chain.ts'
import { type Service, serviceFolder, startService } from './service.ts'

/** The price of ETH that the services of `chainService` are told. */
export const ETH_USD = '3000.5'

/** A service on a chain, with a folder and a provider of prices of its own. */
export interface ChainService {
  /** Starts it, any number of times one after another; it finds again what it stored. */
  start(): Promise<Service>
  cleanUp(): Promise<void>
}

/** @param env - settings besides those that make it follow the chain's head without limits */
export async function chainService(
  chain: TestChain,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChainService> {
  const { folder, launchpadsFile, remove } = await serviceFolder(chain)
  const prices = await startPriceServer(coingeckoAnswers(ETH_USD))
  return {
    start: () =>
      startService({
        env: {
          RPC_URLS: chain.anvil.url,
          LAUNCHPADS_FILE: launchpadsFile,
          DATABASE_URL: databaseUrl,
          DATA_DIR: folder,
          PORT: '0',
          CONFIRMATIONS: '0',
          COINGECKO_URL: prices.url,
          COINBASE_URL: prices.url,
          RATE_LIMIT_PER_MINUTE: '0',
          ...env,
        },
      }),
    cleanUp: async () => {
      await remove()
      await prices.close()
    },
  }
}
