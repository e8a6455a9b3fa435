import { coingeckoAnswers, startPriceServer } from '#test/ethUsd/priceServer.ts'
import type { TestChain } from './chain.ts'
import { serviceFolder } from './service.ts'

/** The price of ETH that the services of `chainService` get. */
export const ETH_USD = '3000.5'

/** A service on a chain, with its own folder and price provider, which is started any number of times one after another. */
export type ChainService = Awaited<ReturnType<typeof chainService>>

/** @param env - settings besides those of `serviceFolder` */
export async function chainService(chain: TestChain, databaseUrl: string, env: Readonly<Record<string, string>> = {}) {
  const folder = await serviceFolder(chain)
  const { url } = await startPriceServer(coingeckoAnswers(ETH_USD))
  return { start: () => folder.start({ DATABASE_URL: databaseUrl, COINGECKO_URL: url, COINBASE_URL: url, ...env }) }
}
