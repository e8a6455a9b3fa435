import { z } from 'zod'
import type { Config } from '#config'
import type { PriceProvider } from './priceProvider.ts'

const PRO_HOST = 'pro-api.coingecko.com'

const simplePrice = z.object({ ethereum: z.object({ usd: z.string() }) }).transform(({ ethereum }) => ethereum.usd)

/**
 * CoinGecko's simple price. The header of the API key depends on the host.
 *
 * Source: https://docs.coingecko.com/reference/simple-price and https://docs.coingecko.com/reference/authentication
 */
export function coingecko({ url, apiKey }: Config['coingecko']): PriceProvider {
  const header = new URL(url).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'
  return {
    source: 'coingecko',
    url: `${url}/api/v3/simple/price?ids=ethereum&vs_currencies=usd`,
    headers: apiKey === null ? {} : { [header]: apiKey },
    price: simplePrice,
  }
}
