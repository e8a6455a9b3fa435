/* The public face of `tokenwire/client`. */
export type { Address, Hex } from '#domain/address.ts'
export type { Candle, CandleInterval } from '#domain/candle.ts'
export type { ChainStats } from '#domain/chainStats.ts'
export type { Claimable, ClaimableAmount, ClaimScope } from '#domain/claimable.ts'
export type { EthUsd } from '#domain/ethUsd.ts'
export type { ActorState, ActorStateName, BackfillProgress, IndexerHealth, RpcHealth, ServiceStatus } from '#domain/health.ts'
export type { Holder, HolderType } from '#domain/holder.ts'
export type { CandleCurrency, SortOrder, TokenSort } from '#domain/queries.ts'
export type { Fees, Graduation, GraduationStatus, Market, PerWindow, Pool, PoolType, Token, TradeCounts } from '#domain/token.ts'
export type { Trade, TradePhase, TradeSide } from '#domain/trade.ts'
export { createTokenwire } from './createTokenwire.ts'
export { items } from './items.ts'
export type { Clock, EventSourceLike, TokenwireOptions, WebSocketLike } from './options.ts'
export type { Problem } from './problem.ts'
export { type Result, unwrap } from './result.ts'
export type {
  ActorsQuery,
  CallOptions,
  CandlesQuery,
  ConnectionState,
  HoldersQuery,
  OperatorOptions,
  Page,
  TokensQuery,
  Tokenwire,
  TradesQuery,
} from './tokenwire.ts'
export { TokenwireError, type TokenwireErrorCode } from './tokenwireError.ts'
export type { NewTrades, Source, Watch, WatchedToken, WatchOptions } from './watch.ts'
