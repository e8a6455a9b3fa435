/* The public API of `tokenwire/client`. Types whose public name has another meaning in the server get that name only here. */
export type { Address, Hex } from '#domain/address.ts'
export type { Candle, CandleInterval } from '#domain/candle.ts'
export type { ChainStats } from '#domain/chainStats.ts'
export type { Claimable, ClaimableAmount, ClaimScope, WalletClaim } from '#domain/claimable.ts'
export type { EthUsd } from '#domain/ethUsd.ts'
export type { ActorState, ActorStateName, BackfillProgress, IndexerHealth, ProcessState, RpcHealth, ServiceStatus } from '#domain/health.ts'
export type { Holder, HolderType } from '#domain/holder.ts'
export type { HolderDistribution } from '#domain/holderDistribution.ts'
export type { HeldToken, Holding, HoldingSort } from '#domain/holding.ts'
export type { Launchpad } from '#domain/launchpad.ts'
export type { CandleCurrency, CandleValue, SortOrder, TokenSort } from '#domain/queries.ts'
export type { Fees, Graduation, GraduationStatus, Market, PerWindow, Pool, PoolType, Token, TradeCounts } from '#domain/token.ts'
export type { Trade, TradePhase, TradeSide } from '#domain/trade.ts'
export type { Trader, TraderSort } from '#domain/trader.ts'
export type { ValuedBalance } from '#domain/valuedBalance.ts'
export type { Wallet } from '#domain/wallet.ts'
export { ClientError as TokenwireError, type ClientErrorCode as TokenwireErrorCode, type ProblemDetails as Problem } from './clientError.ts'
export { createTokenwire } from './createTokenwire.ts'
export type { ClientClock as Clock, TokenwireOptions, WebSocketLike } from './options.ts'
export { items } from './rest/items.ts'
export { type Result, unwrap } from './result.ts'
export type {
  ActorsParameters as ActorsQuery,
  CallOptions,
  CandlesParameters as CandlesQuery,
  ClaimsParameters as ClaimsQuery,
  ConnectionState,
  HoldersParameters as HoldersQuery,
  HoldingsParameters as HoldingsQuery,
  ListPage as Page,
  MarketTradesParameters as MarketTradesQuery,
  OperatorOptions,
  TokensParameters as TokensQuery,
  Tokenwire,
  TradersParameters as TradersQuery,
  TradesParameters as TradesQuery,
} from './tokenwire.ts'
export type { NewTrades, Source, Watch, WatchedToken, WatchOptions } from './watch/watch.ts'
