import type { Address, Hex } from './address.ts'

export type PoolType = 'curve' | 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4'

/** `none`: the launchpad has no graduation; `completed`: the target is reached and the pool not yet made. */
export const GRADUATION_STATUSES = ['none', 'bonding', 'completed', 'migrated'] as const
export type GraduationStatus = (typeof GRADUATION_STATUSES)[number]

/** One value per rolling window, which ends at the timestamp of the newest indexed block. */
export interface PerWindow<T> {
  readonly m5: T
  readonly h1: T
  readonly h6: T
  readonly h24: T
}

export interface TradeCounts {
  readonly buys: number
  readonly sells: number
  /** Distinct makers of buys. */
  readonly buyers: number
  /** Distinct makers of sells. */
  readonly sellers: number
}

/** Prices and values are plain decimal strings in WETH or USD; `null` where unknown. */
export interface Market {
  /** In the main pool's currency, per whole token; `null`: there is no price, or the currency's decimals are not known. */
  readonly priceQuote: string | null
  readonly priceWeth: string | null
  readonly priceUsd: string | null
  readonly marketCapWeth: string | null
  readonly marketCapUsd: string | null
  readonly liquidityWeth: string | null
  readonly liquidityUsd: string | null
  readonly volumeWeth: PerWindow<string | null>
  readonly buyVolumeWeth: PerWindow<string | null>
  readonly sellVolumeWeth: PerWindow<string | null>
  /** Percent against the price at the window's start, or against the first price of a token younger than the window. */
  readonly priceChange: PerWindow<number | null>
  readonly trades: PerWindow<TradeCounts>
  readonly tradeCount: number
  readonly holderCount: number
  readonly lastTradeAt: string | null
  readonly athPriceWeth: string | null
}

/** Where the token trades now. Reserves are raw integer amounts. */
export interface Pool {
  /** The contract, or a Uniswap v4 pool id. */
  readonly address: Hex
  readonly type: PoolType
  readonly quoteToken: Address
  /** As the currency's contract returns it; `null` where it returns none. Untrusted text. */
  readonly quoteSymbol: string | null
  readonly quoteDecimals: number | null
  /** Basis points; fractions are possible. */
  readonly feeBps: number | null
  readonly reserveToken: string | null
  readonly reserveQuote: string | null
  readonly sqrtPriceX96: string | null
  readonly tick: number | null
  readonly liquidity: string | null
}

/** The creator's fees, in WETH. */
export interface Fees {
  readonly creatorFeeBps: number | null
  readonly accruedWeth: string | null
  readonly claimedWeth: string | null
  readonly claimableWeth: string | null
}

export interface Graduation {
  readonly status: GraduationStatus
  readonly percent: number | null
  readonly raisedWeth: string | null
  readonly targetWeth: string | null
  readonly completedAt: string | null
  readonly migratedAt: string | null
  readonly poolAddress: Hex | null
  readonly txHash: Hex | null
}

/** A token's full state as it goes over REST, WebSocket and SSE. */
export interface Token {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number
  readonly totalSupply: string
  readonly creator: Address
  /** Who may change the token's metadata now; `null`: not known. */
  readonly admin: Address | null
  readonly launchpad: string
  readonly createdAt: string
  readonly createdBlock: string
  readonly createdTxHash: Hex
  readonly metadataUri: string | null
  readonly imageUrl: string | null
  readonly description: string | null
  readonly market: Market
  readonly pool: Pool | null
  readonly fees: Fees
  readonly graduation: Graduation
  /** Hybrid logical clock: milliseconds since the epoch at the commit, or the previous sequence + 1 when that is larger. */
  readonly sequence: number
  /** The last block with an event of this token. */
  readonly asOfBlock: string
  /** Time of the commit that gave `sequence`. */
  readonly updatedAt: string
}
