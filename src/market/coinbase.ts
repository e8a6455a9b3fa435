import { z } from 'zod'
import type { Config } from '#config'
import type { PriceProvider } from './priceProvider.ts'

const spotPrice = z
  .object({ data: z.object({ amount: z.string(), base: z.literal('ETH'), currency: z.literal('USD') }) })
  .transform(({ data }) => data.amount)

/**
 * Coinbase's spot price.
 *
 * Source: https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices
 */
export function coinbase({ url }: Config['coinbase']): PriceProvider {
  return { source: 'coinbase', url: `${url}/v2/prices/ETH-USD/spot`, headers: {}, price: spotPrice }
}
