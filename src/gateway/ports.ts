import type { EthUsd } from '#domain/ethUsd.ts'
import type { IndexerState } from '#domain/health.ts'

/** The chain's and the indexer's condition as the gateway shows it. Never waits. */
export interface IndexerView {
  state(): IndexerState
  /** Milliseconds per block over the recent chain and the head's base fee; `null` while unknown. */
  chain(): { readonly headBlock: number | null; readonly blockTimeMs: number | null; readonly baseFeeGwei: string | null }
}

export interface EthUsdView {
  /**
   * The current price, fetched when the cached one is older than its lifetime.
   *
   * @throws `TokenwireError` with code `price_unavailable` when no provider answers and nothing is fresh enough
   */
  get(): Promise<EthUsd>
  /** The price to convert with (plain decimal, USD per ETH), or `null`. Never waits, never throws. */
  ethUsd(): string | null
}
