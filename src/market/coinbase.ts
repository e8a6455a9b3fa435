import type { Config } from '#config'
import { type PriceProvider, valueAt } from './priceProvider.ts'

/**
 * Coinbase's spot price.
 *
 * Source: https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices
 */
export function coinbase({ url }: Config['coinbase']): PriceProvider {
  return {
    source: 'coinbase',
    url: `${url}/v2/prices/ETH-USD/spot`,
    headers: {},
    readPrice: answer => {
      const price = valueAt(answer, 'data', 'amount')
      const isEthUsd = valueAt(answer, 'data', 'base') === 'ETH' && valueAt(answer, 'data', 'currency') === 'USD'
      return isEthUsd && typeof price === 'string' ? price : null
    },
  }
}
