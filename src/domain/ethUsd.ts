/** `simulated`: the answer with the price is marked as one for a development chain. */
export type EthUsdSource = 'coingecko' | 'coinbase' | 'simulated'

export interface EthUsd {
  /** Plain decimal string. */
  readonly price: string
  readonly currency: 'USD'
  readonly source: EthUsdSource
  readonly fetchedAt: string
  readonly ageSeconds: number
  /** True when all providers fail and this is an earlier price. */
  readonly stale: boolean
}

export interface EthUsdPrices {
  /**
   * The price, less than 60 s old; when all providers fail, less than 10 minutes old and `stale`. Concurrent calls share a request.
   *
   * @throws `TokenwireError` `price_unavailable`, retryable, when there is neither
   */
  get(): Promise<EthUsd>
  /** The price for conversions, less than 10 minutes old; `null`: there is none. Never waits, never throws. */
  ethUsd(): string | null
  /** The newest price, however old; `null` before the first one. `stale` when a later attempt to renew it failed. */
  last(): EthUsd | null
}
