import type { Address } from '#domain/address.ts'
import type { Candle } from '#domain/candle.ts'
import type { ChainStats } from '#domain/chainStats.ts'
import type { Claimable, WalletClaim } from '#domain/claimable.ts'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { ActorSort, ActorState, ActorStateName, IndexerHealth, ProcessState } from '#domain/health.ts'
import type { Holder, HolderType } from '#domain/holder.ts'
import type { HolderDistribution } from '#domain/holderDistribution.ts'
import type { Holding } from '#domain/holding.ts'
import type { Launchpad } from '#domain/launchpad.ts'
import type {
  CandlesQuery,
  ClaimsQuery,
  HoldersQuery,
  HoldingsQuery,
  MarketTradesQuery,
  TokensQuery,
  TradersQuery,
  TradesQuery,
} from '#domain/queries.ts'
import type { GraduationStatus, Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import type { Trader } from '#domain/trader.ts'
import type { Wallet } from '#domain/wallet.ts'
import type { ClientContext } from './context.ts'
import type { ChannelLink, ChannelSubscriber } from './live/channelLink.ts'
import type { Result } from './result.ts'
import type { Watch, WatchedToken, WatchOptions } from './watch/watch.ts'

/** One page of a list. `nextCursor` leads to the next page of the same request and is `null` on the last one. Public as `Page`. */
export interface ListPage<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  /** The newest indexed block at the time of the answer; `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
}

/** A page of operator data. It has no `asOfBlock`, because it is not read from the chain. */
export type OperatorPage<T> = Omit<ListPage<T>, 'asOfBlock'>

/** Options of every REST call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Time limit per attempt. Default: the client's. */
  readonly timeoutMs?: number
  /** Attempts after the first one. Default: the client's. */
  readonly retries?: number
}

export interface OperatorOptions extends CallOptions {
  /** Sent with this call and not stored. */
  readonly operatorToken?: string
}

/** A domain query as its route takes it: nothing is required, addresses are any text, and the cursor is opaque. */
type RouteParameters<Query> = {
  readonly [Name in keyof Omit<Query, 'token' | 'cursor'>]?: Text<Query[Name]>
} & { readonly cursor?: string }

type Text<T> = T extends Address ? string : T extends readonly Address[] ? readonly string[] : T

/** At most 100 `addresses`. */
export type TokensParameters = RouteParameters<Omit<TokensQuery, 'statuses' | 'launchpads'>> & {
  readonly status?: GraduationStatus | readonly GraduationStatus[]
  readonly launchpad?: string | readonly string[]
}
export type TradesParameters = RouteParameters<TradesQuery>
/** At most 100 `tokens` and 20 `makers`. `after` is the `id` of a trade: only later ones, with `order: 'asc'`. */
export type MarketTradesParameters = RouteParameters<Omit<MarketTradesQuery, 'launchpads'>> & {
  readonly launchpad?: string | readonly string[]
  readonly after?: string
}
export type HoldersParameters = RouteParameters<Pick<HoldersQuery, 'limit'>> & { readonly excludeType?: readonly HolderType[] }
export type CandlesParameters = RouteParameters<CandlesQuery>
export type TradersParameters = RouteParameters<TradersQuery>
export type HoldingsParameters = RouteParameters<Omit<HoldingsQuery, 'wallet'>>
export type ClaimsParameters = RouteParameters<Omit<ClaimsQuery, 'creator'>>

export interface ActorsParameters {
  readonly state?: ActorStateName
  readonly sort?: ActorSort
  readonly limit?: number
}

/**
 * - `connecting`: a WebSocket is being opened, for the first time or after one was lost
 * - `live`: updates arrive over WebSocket
 * - `fallback`: no WebSocket can be opened; updates arrive over event streams and REST while the client keeps trying
 * - `offline`: the server does not answer or asked the client not to reconnect, nothing is watched, or the client is closed
 */
export type ConnectionState = 'connecting' | 'live' | 'fallback' | 'offline'

/** The REST calls. They never reject. A pause that the server asks of one call holds back all. */
export interface RestApi {
  tokens(query?: TokensParameters, options?: CallOptions): Promise<Result<ListPage<Token>>>
  token(address: string, options?: CallOptions): Promise<Result<Token>>
  trades(address: string, query?: TradesParameters, options?: CallOptions): Promise<Result<ListPage<Trade>>>
  /** Over all tokens. */
  marketTrades(query?: MarketTradesParameters, options?: CallOptions): Promise<Result<ListPage<Trade>>>
  holders(address: string, query?: HoldersParameters, options?: CallOptions): Promise<Result<ListPage<Holder>>>
  /** How a token is spread over its holders. */
  distribution(address: string, options?: CallOptions): Promise<Result<HolderDistribution>>
  traders(address: string, query?: TradersParameters, options?: CallOptions): Promise<Result<ListPage<Trader>>>
  candles(address: string, query?: CandlesParameters, options?: CallOptions): Promise<Result<ListPage<Candle>>>
  claimable(address: string, creator: string, options?: CallOptions): Promise<Result<Claimable>>
  /** Answers for any account: an unknown one has done nothing. */
  wallet(address: string, options?: CallOptions): Promise<Result<Wallet>>
  holdings(address: string, query?: HoldingsParameters, options?: CallOptions): Promise<Result<ListPage<Holding>>>
  walletTrades(address: string, query?: Omit<MarketTradesParameters, 'makers'>, options?: CallOptions): Promise<Result<ListPage<Trade>>>
  /** Everything that the account can claim as a creator. */
  claims(address: string, query?: ClaimsParameters, options?: CallOptions): Promise<Result<ListPage<WalletClaim>>>
  /** @param q - 1 to 100 characters of a symbol, a name or an address */
  search(q: string, query?: { readonly limit?: number }, options?: CallOptions): Promise<Result<ListPage<Token>>>
  /** Totals of each launchpad, in one page. */
  launchpads(options?: CallOptions): Promise<Result<ListPage<Launchpad>>>
  ethUsd(options?: CallOptions): Promise<Result<EthUsd>>
  chainStats(options?: CallOptions): Promise<Result<ChainStats>>
  /** A stalled indexer, which the server answers with 503, is a value, too. */
  health(options?: CallOptions): Promise<Result<IndexerHealth>>
  /** For operators. */
  actors(query?: ActorsParameters, options?: OperatorOptions): Promise<Result<OperatorPage<ActorState>>>
  /** All processes on the service's database: indexers, their standbys, gateways. */
  processes(options?: OperatorOptions): Promise<Result<OperatorPage<ProcessState>>>
  /** For operators. `not_found`: the token has no subscriber. */
  actor(address: string, options?: OperatorOptions): Promise<Result<ActorState>>
}

/** What the package's other entry points build on. It may change with every version. */
export interface ClientExtension extends Pick<ClientContext, 'timers' | 'random' | 'closed' | 'dismissed' | 'pauses' | 'call' | 'onError'> {
  subscribe(subscriber: ChannelSubscriber): ChannelLink
  /**
   * Reports a read over REST in place of a channel. While both transports are blocked, the client's state follows from these reports.
   *
   * @param isSuccess - `null`: the poller has stopped
   */
  polled(isSuccess: boolean | null, poller: object): void
}

/** A client of one Tokenwire service. */
export interface Tokenwire extends RestApi {
  /**
   * Calls `onUpdate` with the token's state as soon as it is known and with every newer one, never with an older one. An address
   * that is not indexed yet may be watched: its updates come when it appears.
   *
   * @throws `TypeError` when `address` is not an address; `TokenwireError` with code `closed` after `close()`
   */
  watch(address: string, onUpdate: (state: WatchedToken) => void, options?: WatchOptions): Watch
  /**
   * `watch` as an async iterator, which watches from its first step on. A slow reader gets the newest state and skips the states
   * in between. The iterator ends when the signal aborts or the client is closed.
   *
   * @throws `TokenwireError` when no more updates will come: `dismissed` or `too_many_watches`
   */
  updates(address: string, options?: Pick<WatchOptions, 'signal' | 'initial'>): AsyncGenerator<WatchedToken, undefined, undefined>

  readonly extension: ClientExtension
  readonly state: ConnectionState
  /** Calls back with every change of `state`. Returns a function that removes the listener. */
  onState(listener: (state: ConnectionState) => void): () => void
  /**
   * Connects now instead of after the current pause. After the server asked the client not to reconnect, all listeners that ended with
   * `dismissed` go on.
   */
  reconnect(): void
  /** Closes every connection and cancels every timer. No listener is called any more; calls in flight end with code `closed`. */
  close(): void
}
