import { z } from 'zod'
import type { Config } from '#config'
import type { EthUsdSource } from '#domain/ethUsd.ts'

export interface PriceProvider {
  readonly source: EthUsdSource
  readonly url: string
  /** May hold an API key. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads the quote out of an answer in which every JSON number is a string with its original digits. */
  readonly quote: z.ZodType<ProvidersQuote>
}

export interface ProvidersQuote {
  readonly price: string
  /** Milliseconds since the epoch: when the price was made, by the provider. `null`: it does not say. */
  readonly pricedAtMs: number | null
}

const PRO_HOST = 'pro-api.coingecko.com'

const unixSeconds = z.coerce.number().positive().nullable().catch(null)

const simplePrice = z
  .object({ ethereum: z.object({ usd: z.string(), last_updated_at: unixSeconds }) })
  .transform(({ ethereum: { usd, last_updated_at } }) => ({
    price: usd,
    pricedAtMs: last_updated_at === null ? null : last_updated_at * 1_000,
  }))

/**
 * CoinGecko's simple price. The header of the API key depends on the host.
 *
 * Source: https://docs.coingecko.com/reference/simple-price and https://docs.coingecko.com/reference/authentication
 */
export function coingecko({ coingeckoUrl, coingeckoApiKey }: Pick<Config, 'coingeckoUrl' | 'coingeckoApiKey'>): PriceProvider {
  const header = new URL(coingeckoUrl).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'
  return {
    source: 'coingecko',
    url: `${coingeckoUrl}/api/v3/simple/price?ids=ethereum&vs_currencies=usd&include_last_updated_at=true`,
    headers: coingeckoApiKey === null ? {} : { [header]: coingeckoApiKey },
    quote: simplePrice,
  }
}

const spotPrice = z
  .object({ data: z.object({ amount: z.string(), base: z.literal('ETH'), currency: z.literal('USD') }) })
  .transform(({ data }) => ({ price: data.amount, pricedAtMs: null }))

/** Coinbase's spot price. Source: https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices */
export function coinbase({ coinbaseUrl }: Pick<Config, 'coinbaseUrl'>): PriceProvider {
  return { source: 'coinbase', url: `${coinbaseUrl}/v2/prices/ETH-USD/spot`, headers: {}, quote: spotPrice }
}
