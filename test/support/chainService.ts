import { coingeckoAnswers, startPriceServer } from '#test/ethUsd/priceServer.ts'
import type { TestChain } from './chain.ts'
import { closedAfterFile } from './closeAfterFile.ts'
import { type Service, serviceFolder } from './service.ts'

/** The price of ETH that the services of `chainService` get. */
export const ETH_USD = '3000.5'

/** A service on a chain, with its own folder and price provider. */
export interface ChainService {
  /** Starts it, any number of times one after another, on the same database. */
  start(): Promise<Service>
  cleanUp(): Promise<void>
}

/** @param env - settings besides those of `serviceFolder` */
export async function chainService(
  chain: TestChain,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChainService> {
  const folder = await serviceFolder(chain)
  const prices = await startPriceServer(coingeckoAnswers(ETH_USD))
  return {
    start: () => folder.start({ DATABASE_URL: databaseUrl, COINGECKO_URL: prices.url, COINBASE_URL: prices.url, ...env }),
    cleanUp: closedAfterFile(async () => {
      await folder.remove()
      await prices.close()
    }),
  }
}
