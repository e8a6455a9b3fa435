export type EthUsdSource = 'coingecko' | 'coinbase'

/** The ETH/USD price as last fetched. */
export interface EthUsd {
  /** Plain decimal string. */
  readonly price: string
  readonly currency: 'USD'
  readonly source: EthUsdSource
  readonly fetchedAt: string
  readonly ageSeconds: number
  /** True when the providers fail and this is an earlier answer, at most 10 minutes old. */
  readonly stale: boolean
}
