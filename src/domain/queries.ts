import type { Address } from './address.ts'
import type { Candle, CandleInterval } from './candle.ts'
import type { ChainStats } from './chainStats.ts'
import type { Claimable } from './claimable.ts'
import type { Holder, HolderType } from './holder.ts'
import type { LaunchpadTotals } from './launchpad.ts'
import type { GraduationStatus, Token } from './token.ts'
import type { Trade, TradeSide } from './trade.ts'

/** One page and where the next begins; `next` is `null` on the last page. */
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
  'volume24h',
  'priceChange24h',
  'priceChange1h',
  'liquidity',
  'holders',
  'trades24h',
  'lastTradeAt',
  'graduation',
] as const
export type TokenSort = (typeof TOKEN_SORTS)[number]

/** The sort value and address of the last row of a page. A `null` value: the rows without one, which come last in either order. */
export interface TokenCursor {
  readonly value: string | null
  readonly address: Address
}

export interface TokensQuery {
  readonly sort: TokenSort
  readonly order: SortOrder
  readonly status?: GraduationStatus
  readonly creator?: Address
  readonly launchpad?: string
  readonly addresses?: readonly Address[]
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

/** Of all tokens that fit; in each list one has to fit. */
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

/** Of the last candle of a page. */
export type CandleCursor = Pick<Candle, 'time'>

export type CandleCurrency = 'weth' | 'usd' | 'quote'

export interface CandlesQuery {
  readonly token: Address
  readonly interval: CandleInterval
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

/**
 * What the gateway reads from the database. USD values that depend on the current price are `null`: the gateway fills them in (`withUsd`),
 * since the price is not chain state.
 *
 * @throws `TokenwireError` `database_unavailable` from every function when the database can't answer
 */
export interface Reads {
  tokens(query: TokensQuery): Promise<Page<Token, TokenCursor>>
  /** `null`: not indexed. */
  token(address: Address): Promise<Token | null>
  marketTrades(query: MarketTradesQuery): Promise<Page<Trade, TradeCursor>>
  /** Launchpads that have a token. */
  launchpads(): Promise<{ readonly data: readonly LaunchpadTotals[]; readonly asOfBlock: string | null }>
  /** `null`: the token is not indexed. The same for the next four. */
  trades(query: TradesQuery): Promise<Page<Trade, TradeCursor> | null>
  holders(query: HoldersQuery): Promise<Page<Holder, HolderCursor> | null>
  supply(token: Address): Promise<Supply | null>
  candles(query: CandlesQuery): Promise<Page<Candle, CandleCursor> | null>
  claimable(token: Address, creator: Address): Promise<Claimable | null>
  search(query: SearchQuery): Promise<Omit<Page<Token, never>, 'next'>>
  /** The gateway fills in what comes from the chain. `null`: nothing is indexed yet. */
  chainStats(): Promise<Omit<ChainStats, 'headBlock' | 'blockTimeMs' | 'baseFeeGwei'> | null>
  /** Round trip to the database in ms. */
  ping(): Promise<number>
}
