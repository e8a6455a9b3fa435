import type { Config } from '#config'
import { type PriceProvider, valueAt } from './priceProvider.ts'

const PRO_HOST = 'pro-api.coingecko.com'

/**
 * CoinGecko's simple price, with the key in the header that the host expects.
 *
 * Source: https://docs.coingecko.com/reference/simple-price and https://docs.coingecko.com/reference/authentication
 */
export function coingecko({ url, apiKey }: Config['coingecko']): PriceProvider {
  const header = new URL(url).hostname === PRO_HOST ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key'
  return {
    source: 'coingecko',
    url: `${url}/api/v3/simple/price?ids=ethereum&vs_currencies=usd`,
    headers: apiKey === null ? {} : { [header]: apiKey },
    readPrice: answer => {
      const price = valueAt(answer, 'ethereum', 'usd')
      return typeof price === 'string' ? price : null
    },
  }
}
