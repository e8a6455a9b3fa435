import { z } from 'zod'
import { defineResource, NO_PARAMETERS } from './resource.ts'
import { decimalText, timeText, type Wire } from './values.ts'

/** `simulated`: the answer with the price is marked as one for a development chain. `pool`: the configured pools of pegged currencies. */
const ETH_USD_SOURCES = ['coingecko', 'coinbase', 'pool', 'simulated'] as const
export type EthUsdSource = (typeof ETH_USD_SOURCES)[number]

const ethUsdSchema = z
  .object({
    price: decimalText.describe('USD per ETH.'),
    currency: z.literal('USD').describe('Currency of the price.'),
    source: z
      .enum(ETH_USD_SOURCES)
      .describe(
        'The provider that gave the price; `pool`: the configured pools of currencies that are pegged to USD, since no provider gives one; ' +
          '`simulated`: a development chain.',
      ),
    fetchedAt: timeText.describe('When the price was fetched.'),
    ageSeconds: z.number().min(0).describe('Seconds since the provider made the price, or since `fetchedAt` where it does not say when.'),
    stale: z.boolean().describe('`true`: no provider gives a newer price, and this one is at most 10 minutes old.'),
  })
  .meta({ id: 'EthUsd', description: 'The price of ETH.' })

export type EthUsd = Wire<typeof ethUsdSchema>

/** The newest price, and the price of another provider where that is more than 5 % away. */
export interface LastEthUsd extends EthUsd {
  readonly disputed: Pick<EthUsd, 'price' | 'source'> | null
}

export const ethUsdPrice = defineResource({
  id: 'getEthUsd',
  tag: 'Market',
  path: '/api/market/eth-usd',
  summary: 'The price of ETH in USD',
  parameters: NO_PARAMETERS,
  answer: ethUsdSchema,
  outdatedBy: null,
  problems: ['price_unavailable'],
})

export interface EthUsdPrices {
  /**
   * The price of a provider, fetched less than 60 s ago; when all providers fail, that of the configured pools, or a `stale` one of a
   * provider less than 10 minutes old. Concurrent calls share a request.
   *
   * @throws `TokenwireError` `price_unavailable`, retryable, when there is neither
   */
  get(): Promise<EthUsd>
  /**
   * The price for conversions: that of the configured pools, else that of a provider, less than 10 minutes old; `null`: there is none.
   * Never waits, never throws.
   */
  ethUsd(): string | null
  /** The price by the configured pools of pegged currencies, as of the newest indexed block; `null`: there is none. */
  pooled(): string | null
  /** The newest price of a provider, however old; `null` before the first one. `stale` when a later attempt to renew it failed. */
  last(): LastEthUsd | null
}
