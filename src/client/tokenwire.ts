import type { Candle, CandleInterval } from '#domain/candle.ts'
import type { ChainStats } from '#domain/chainStats.ts'
import type { Claimable } from '#domain/claimable.ts'
import type { EthUsd } from '#domain/ethUsd.ts'
import type { ActorState, ActorStateName, IndexerHealth } from '#domain/health.ts'
import type { Holder, HolderType } from '#domain/holder.ts'
import type { CandleCurrency, SortOrder, TokenSort } from '#domain/queries.ts'
import type { GraduationStatus, Token } from '#domain/token.ts'
import type { Trade, TradeSide } from '#domain/trade.ts'
import type { Result } from './result.ts'
import type { Watch, WatchedToken, WatchOptions } from './watch.ts'

/** One page of a list; `nextCursor` leads to the next one of the same request and is `null` on the last. */
export interface Page<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
}

/** Of every REST call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Per attempt. Default: that of the client. */
  readonly timeoutMs?: number
  /** Attempts after the first one. Default: that of the client. */
  readonly retries?: number
}

/** `operatorToken` is sent with this call and kept nowhere. */
export interface OperatorOptions extends CallOptions {
  readonly operatorToken?: string
}

interface Paged {
  readonly limit?: number
  readonly cursor?: string
}

export interface TokensQuery extends Paged {
  readonly sort?: TokenSort
  readonly order?: SortOrder
  readonly status?: GraduationStatus
  readonly creator?: string
  readonly launchpad?: string
  /** At most 100. */
  readonly addresses?: readonly string[]
}

export interface TradesQuery extends Paged {
  readonly side?: TradeSide
  readonly maker?: string
  /** Inclusive. */
  readonly fromBlock?: number
  /** Inclusive. */
  readonly toBlock?: number
  readonly order?: SortOrder
}

export interface HoldersQuery extends Paged {
  readonly excludeType?: readonly HolderType[]
}

export interface CandlesQuery extends Paged {
  readonly interval?: CandleInterval
  /** Unix seconds. */
  readonly from?: number
  /** Unix seconds. */
  readonly to?: number
  readonly currency?: CandleCurrency
  readonly fill?: boolean
}

export interface ActorsQuery {
  readonly state?: ActorStateName
  readonly sort?: 'subscribers' | 'sequence' | 'lastUpdateAt'
  readonly limit?: number
}

/**
 * - `connecting`: a connection is being made, for the first time or after one was lost
 * - `live`: updates come over WebSocket
 * - `fallback`: WebSocket can't be opened; updates come over event streams and REST while it is tried again
 * - `offline`: nothing answers, the server asked not to come back, nothing is watched, or the client is closed
 */
export type ConnectionState = 'connecting' | 'live' | 'fallback' | 'offline'

/** A client of one Tokenwire service. REST calls never reject; all share one memory of what the server asked to wait for. */
export interface Tokenwire {
  tokens(query?: TokensQuery, options?: CallOptions): Promise<Result<Page<Token>>>
  token(address: string, options?: CallOptions): Promise<Result<Token>>
  trades(address: string, query?: TradesQuery, options?: CallOptions): Promise<Result<Page<Trade>>>
  holders(address: string, query?: HoldersQuery, options?: CallOptions): Promise<Result<Page<Holder>>>
  candles(address: string, query?: CandlesQuery, options?: CallOptions): Promise<Result<Page<Candle>>>
  claimable(address: string, creator: string, options?: CallOptions): Promise<Result<Claimable>>
  /** @param q - 1 to 100 characters of a symbol, a name or an address */
  search(q: string, query?: { readonly limit?: number }, options?: CallOptions): Promise<Result<Page<Token>>>
  ethUsd(options?: CallOptions): Promise<Result<EthUsd>>
  chainStats(options?: CallOptions): Promise<Result<ChainStats>>
  /** Also of a stalled indexer, which the server answers with 503. */
  health(options?: CallOptions): Promise<Result<IndexerHealth>>
  /** For operators. */
  actors(query?: ActorsQuery, options?: OperatorOptions): Promise<Result<Page<ActorState>>>
  /** For operators. `not_found`: nobody watches the token. */
  actor(address: string, options?: OperatorOptions): Promise<Result<ActorState>>

  /**
   * Calls `onUpdate` with the token's state as soon as it is known and with every newer one, never with an older one. An address that is not
   * indexed yet may be watched: its updates come when it appears.
   *
   * @throws `TypeError` when the address is none; `TokenwireError` with code `closed` after `close()`
   */
  watch(address: string, onUpdate: (state: WatchedToken) => void, options?: WatchOptions): Watch
  /**
   * The same as an iterator, which watches from its first step on. A slow reader gets the newest state and none of those between. It ends when the
   * signal aborts or the client is closed, and throws a `TokenwireError` when updates have ended for good.
   */
  updates(address: string, options?: Pick<WatchOptions, 'signal' | 'initial'>): AsyncGenerator<WatchedToken, undefined, undefined>

  readonly state: ConnectionState
  /** Calls back with every change of `state`. Returns how to stop that. */
  onState(listener: (state: ConnectionState) => void): () => void
  /** Tries to connect now instead of when the current pause is over; also after the server asked not to come back. */
  reconnect(): void
  /** Ends everything: no listener is called, no timer or connection is left. Calls in flight end with code `closed`. */
  close(): void
}
