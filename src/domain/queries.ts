import type { Address } from './address.ts'
import type { Candle, CandleInterval } from './candle.ts'
import type { HolderType } from './holder.ts'
import type { HoldingSort } from './holding.ts'
import type { GraduationStatus } from './token.ts'
import type { TradeSide } from './trade.ts'
import type { TraderSort } from './trader.ts'

/** One page and the cursor of the next; `next` is `null` on the last page. */
export interface Page<T, Cursor> {
  readonly data: readonly T[]
  readonly next: Cursor | null
  /** The newest indexed block at the moment of the read; `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
}

export type SortOrder = 'asc' | 'desc'

export const TOKEN_SORTS = [
  'createdAt',
  'marketCap',
  'volume5m',
  'volume1h',
  'volume24h',
  'priceChange5m',
  'priceChange1h',
  'priceChange24h',
  'liquidity',
  'holders',
  'trades5m',
  'trades1h',
  'trades24h',
  'lastTradeAt',
  'graduation',
  'migratedAt',
  'trending',
] as const
export type TokenSort = (typeof TOKEN_SORTS)[number]

/** The sort value and address of the last row of a page. A `null` value: the rows without one, which come last in either order. */
export interface TokenCursor {
  readonly value: string | null
  readonly address: Address
}

/** A token has to match one entry of each list. A token without a value for a bounded field is left out. */
export interface TokenFilters {
  readonly statuses?: readonly GraduationStatus[]
  readonly creator?: Address
  readonly launchpads?: readonly string[]
  readonly addresses?: readonly Address[]
  /** WETH as a plain decimal. The same for the next two. */
  readonly minMarketCap?: string
  readonly minLiquidity?: string
  readonly minVolume24h?: string
  readonly minHolders?: number
  /** In percent. */
  readonly minGraduation?: number
  /** Unix seconds, exclusive. The same for the next. */
  readonly createdAfter?: number
  readonly createdBefore?: number
}

export interface TokensQuery extends TokenFilters {
  readonly sort: TokenSort
  readonly order: SortOrder
  readonly limit: number
  readonly cursor?: TokenCursor
}

export interface TradeCursor {
  readonly blockNumber: number
  readonly logIndex: number
}

/** All inclusive; `from` and `to` in Unix seconds. */
export interface TradeBounds {
  readonly fromBlock?: number
  readonly toBlock?: number
  readonly from?: number
  readonly to?: number
}

export interface TradeFilters extends TradeBounds {
  readonly side?: TradeSide
  /** A plain decimal. Trades whose amount in WETH is unknown are left out. */
  readonly minWeth?: string
  readonly order: SortOrder
  readonly limit: number
  readonly cursor?: TradeCursor
}

export interface TradesQuery extends TradeFilters {
  readonly token: Address
  readonly maker?: Address
}

/** Trades over all tokens. A trade has to match one entry of each list. */
export interface MarketTradesQuery extends TradeFilters {
  readonly tokens?: readonly Address[]
  readonly makers?: readonly Address[]
  readonly launchpads?: readonly string[]
}

export interface HolderCursor {
  readonly balance: string
  readonly address: Address
  readonly rank: number
}

export interface HoldersQuery {
  readonly token: Address
  readonly excludeTypes: readonly HolderType[]
  readonly limit: number
  readonly cursor?: HolderCursor
}

/** The sort value and account of the last row of a page. A `null` value: the rows without one, which come last. */
export interface TraderCursor {
  readonly value: string | null
  readonly address: Address
}

export interface TradersQuery {
  readonly token: Address
  readonly sort: TraderSort
  readonly limit: number
  readonly cursor?: TraderCursor
}

/** As `TraderCursor`. */
export interface HoldingCursor {
  readonly value: string | null
  readonly token: Address
}

export interface HoldingsQuery {
  readonly wallet: Address
  readonly sort: HoldingSort
  readonly limit: number
  readonly cursor?: HoldingCursor
}

/** The key of the last claim of a page. */
export interface ClaimCursor {
  readonly token: Address
  readonly launchpad: string
  readonly currency: Address
}

export interface ClaimsQuery {
  readonly creator: Address
  readonly limit: number
  readonly cursor?: ClaimCursor
}

/** The time of the last candle of a page. */
export type CandleCursor = Pick<Candle, 'time'>

export type CandleCurrency = 'weth' | 'usd' | 'quote'

/** What candles show: prices per whole token, or these prices times the present total supply. */
export type CandleValue = 'price' | 'marketCap'

export interface CandlesQuery {
  readonly token: Address
  readonly interval: CandleInterval
  /** Default `price`. */
  readonly of?: CandleValue
  readonly currency: CandleCurrency
  /** Unix seconds, inclusive; the interval that holds it is included. */
  readonly from?: number
  /** Unix seconds, inclusive. */
  readonly to?: number
  readonly fill: boolean
  readonly limit: number
  readonly cursor?: CandleCursor
}

/** Raw amounts. */
export interface Supply {
  readonly total: bigint
  /** What burn addresses hold. */
  readonly burned: bigint
  /** What lockers hold. */
  readonly locked: bigint
  readonly decimals: number
}

export interface SearchQuery {
  /** 1 to 100 characters as the user typed them. */
  readonly q: string
  readonly limit: number
}
