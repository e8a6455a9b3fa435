/* The public API of `tokenwire/client`. Types whose public name has another meaning in the server get that name only here. */
export type { Address, Hex } from '#domain/address.ts'
export type { PerWindow } from '#domain/windows.ts'
export { ClientError as TokenwireError, type ClientErrorCode as TokenwireErrorCode, type ProblemDetails as Problem } from './clientError.ts'
export { createTokenwire } from './createTokenwire.ts'
export type {
  BackfillProgress,
  Candle,
  CandleCurrency,
  CandleInterval,
  CandleSeries,
  CandleSeriesQuery,
  CandlesQuery,
  CandleValue,
  ChainStats,
  Claimable,
  ClaimableAmount,
  ClaimScope,
  ClaimsQuery,
  Early,
  EarlyClassTotals,
  EarlyWallets,
  EthUsd,
  Fees,
  Graduation,
  GraduationStatus,
  HeldToken,
  Holder,
  HolderDistribution,
  HoldersQuery,
  HolderType,
  Holding,
  HoldingSort,
  HoldingsQuery,
  IndexerHealth,
  Launchpad,
  Market,
  MarketTradesQuery,
  Pool,
  PoolType,
  PriceLine,
  RpcHealth,
  ServiceStatus,
  SortOrder,
  Token,
  TokenSort,
  TokensQuery,
  Trade,
  TradeCounts,
  TradePhase,
  Trader,
  TraderSort,
  TradersQuery,
  TradeSide,
  TradesQuery,
  ValuedBalance,
  Wallet,
  WalletClaim,
} from './generated/types.ts'
export type { ClientClock as Clock, TokenwireOptions, WebSocketLike } from './options.ts'
export type { CallOptions, ListPage as Page } from './rest/calls.ts'
export { items } from './rest/items.ts'
export { type Result, unwrap } from './result.ts'
export type { ConnectionState, Tokenwire } from './tokenwire.ts'
export type { Source, Watch, WatchedToken, WatchOptions } from './watch/watch.ts'
