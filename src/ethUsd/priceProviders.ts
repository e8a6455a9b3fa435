import { z } from 'zod'
import type { Config } from '#config'
import type { EthUsdSource } from '#domain/ethUsd.ts'

export interface PriceProvider {
  readonly source: EthUsdSource
  readonly url: string
  /** May hold an API key. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the price out of an answer in which every JSON number is a string with its original digits. */
  readonly price: z.ZodType<string>
}

const PRO_HOST = 'pro-api.coingecko.com'

const simplePrice = z.object({ ethereum: z.object({ usd: z.string() }) }).transform(({ ethereum }) => ethereum.usd)

/**
 * CoinGecko's simple price. The header of the API key depends on the host.
 *
 * Source: https://docs.coingecko.com/reference/simple-price and https://docs.coingecko.com/reference/authentication
 */
export function coingecko({ coingeckoUrl, coingeckoApiKey }: Pick<Config, 'coingeckoUrl' | 'coingeckoApiKey'>): PriceProvider {
  const header = new URL(coingeckoUrl).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'
  return {
    source: 'coingecko',
    url: `${coingeckoUrl}/api/v3/simple/price?ids=ethereum&vs_currencies=usd`,
    headers: coingeckoApiKey === null ? {} : { [header]: coingeckoApiKey },
    price: simplePrice,
  }
}

const spotPrice = z
  .object({ data: z.object({ amount: z.string(), base: z.literal('ETH'), currency: z.literal('USD') }) })
  .transform(({ data }) => data.amount)

/** Coinbase's spot price. Source: https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices */
export function coinbase({ coinbaseUrl }: Pick<Config, 'coinbaseUrl'>): PriceProvider {
  return { source: 'coinbase', url: `${coinbaseUrl}/v2/prices/ETH-USD/spot`, headers: {}, price: spotPrice }
}
