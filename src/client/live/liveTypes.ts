import type { ClientError } from '#client/clientError.ts'
import type { AbortSignalLike } from '#client/ending.ts'
import type {
  Candle,
  CandleCurrency,
  CandleInterval,
  CandlesMessage,
  CandleValue,
  Crossing,
  CrossingsMessage,
  EventsSubscribed,
  GapMessage,
  GraduationsMessage,
  Holding,
  LaunchesMessage,
  ListRow,
  ReorgMessage,
  TokensQuery,
  Trade,
  TradeSide,
  TradesMessage,
  Wallet,
  WalletClaim,
} from '#client/generated/types.ts'

/** The first event: the events that follow come after `cursor`. */
export interface BeginEvent extends LivePosition {
  readonly type: 'begin'
}

/** Events after `from`, up to `cursor`, were missed and could not be read over REST. */
export interface GapEvent extends LivePosition {
  readonly type: 'gap'
  readonly from: string
}

/** Each carries the position to continue from after a restart. */
export type LiveEvent<Data> = BeginEvent | Data | ReorgEvent | GapEvent

/** An event has to match every given field, and of a list one entry. At most 100 tokens, 100 makers and 20 launchpads. */
export interface TradesFilter {
  readonly tokens?: readonly string[]
  readonly makers?: readonly string[]
  readonly launchpads?: readonly string[]
  readonly side?: TradeSide
  /** Only trades of at least this much WETH, fee included. */
  readonly minWeth?: string
}

export interface LaunchesFilter {
  readonly launchpads?: readonly string[]
  readonly creators?: readonly string[]
}

export interface GraduationsFilter {
  readonly launchpads?: readonly string[]
  readonly status?: readonly GraduationsEvent['status'][]
}

/** Exactly one of `above` and `below`, as plain decimals. */
export type CrossingsFilter = {
  readonly tokens?: readonly string[]
  readonly launchpads?: readonly string[]
  readonly of: Crossing['of']
} & ({ readonly above: string } | { readonly below: string })

/** The parameters of `tokens` without `cursor`. `limit`: at most 200, by default 50. Rows of more than 50 have no images. */
export type ListQuery = Omit<TokensQuery, 'cursor'>

/**
 * A list of tokens in order. It replaces the one before. `matches`: how many tokens match, only of lists of more than 50 rows; `null`: more
 * than 1,000, or they were not counted.
 */
export type ListState = Pick<ListMessage, 'data' | 'asOfBlock' | 'sequence' | 'matches'>

export interface WatchedCandlesQuery {
  readonly token: string
  /** Default `1m`. */
  readonly interval?: CandleInterval
  /** Default `price`. */
  readonly of?: CandleValue
  /** Default `weth`. */
  readonly currency?: CandleCurrency
  /** The newest candles that are kept, 1 to 1,500. Default 300. */
  readonly limit?: number
}

/** The newest candles, times ascending. It replaces the state before. */
export interface CandlesState {
  readonly candles: readonly Candle[]
  /** Unix seconds: only candles of this time and later ones differ from the state before. Infinite: none does. */
  readonly changedFrom: number
}

/** At most 20 makers. */
export interface LatestTradesQuery extends TradesFilter {
  /** 1 to 500. Default 50. */
  readonly limit?: number
}

/** The summary of a wallet, and the first 50 of its holdings, trades and claims. */
export interface WalletState {
  readonly wallet: Wallet
  readonly holdings: readonly Holding[]
  readonly trades: readonly Trade[]
  readonly claims: readonly WalletClaim[]
}

export interface LiveQueryOptions {
  /** Ends the query. */
  readonly signal?: AbortSignalLike
}

/** Where to continue: the `cursor` and `reorgs` of the last event. Default: from now on. */
export interface EventOptions extends LiveQueryOptions {
  readonly after?: string
  /** Without it, earlier reorgs are not reported. */
  readonly reorgs?: number
  /**
   * `false`: events missed without a connection are not delivered later, but reported as a `gap`. For readers of the newest events alone:
   * after the machine has slept for hours, they would otherwise get thousands of old events. Default true.
   */
  readonly repair?: boolean
}

export interface LiveListenerOptions {
  /** Called when nothing more will come: `rejected`, `too_many_watches`, or `dismissed` until `reconnect()` of the client. */
  readonly onEnd?: (error: ClientError) => void
  /** Called with the error of a request that will be sent again. Default: the client's. */
  readonly onError?: (error: unknown) => void
}

export interface LiveHandle {
  /** Ends the query: the listener is no longer called. */
  close(): void
}

/**
 * With a listener, calls it with all news, like `watch`. Without one, it is an async iterator, like `updates`: it begins with its first
 * step, and throws the `TokenwireError` after which nothing more will come. A slow reader of events misses none: the service keeps the
 * events that it has not read (with `repair: false` they are a `gap`). A slow reader of a state gets the newest one.
 *
 * @throws `TokenwireError` with code `closed` after the client's `close()`
 */
export interface LiveMethod<Query, News, Options extends LiveQueryOptions = LiveQueryOptions> {
  (query: Query, listener: (news: News) => void, options?: Options & LiveListenerOptions): LiveHandle
  (query: Query, options?: Options): AsyncGenerator<News, undefined, undefined>
}

/** The same for queries without required fields. */
export interface OpenLiveMethod<Query, News, Options extends LiveQueryOptions = LiveQueryOptions> extends LiveMethod<Query, News, Options> {
  (): AsyncGenerator<News, undefined, undefined>
}

export type EventMethod<Filter, Data> = OpenLiveMethod<Filter, LiveEvent<Data>, EventOptions>

/** Events of all tokens, and states that follow them. */
export interface Live {
  readonly trades: EventMethod<TradesFilter, TradesEvent>
  readonly launches: EventMethod<LaunchesFilter, LaunchesEvent>
  readonly graduations: EventMethod<GraduationsFilter, GraduationsEvent>
  /** Changes of the last four days are kept: what a reader misses beyond them is a `gap`. */
  readonly crossings: LiveMethod<CrossingsFilter, LiveEvent<CrossingsEvent>, EventOptions>
  readonly list: OpenLiveMethod<ListQuery, ListState>
  readonly candles: LiveMethod<WatchedCandlesQuery, CandlesState>
  /** The newest trades that match the query, newest first. */
  readonly latestTrades: OpenLiveMethod<LatestTradesQuery, readonly Trade[]>
  /** Read again when the wallet has traded, and every minute for changes without a trade. */
  readonly wallet: LiveMethod<string, WalletState>
}

/** A client's position in a channel of events. Store it, and pass it as `after` and `reorgs` to continue there. */
export type LivePosition = Pick<TradesMessage, 'cursor' | 'reorgs'>

/** Trades of one block. */
export type TradesEvent = Omit<TradesMessage, 'id'>

/** Launched tokens of one block, as they are now. */
export type LaunchesEvent = Omit<LaunchesMessage, 'id'>

/** Tokens of one block that reached their target, or whose liquidity has moved to a pool. */
export type GraduationsEvent = Omit<GraduationsMessage, 'id'>

/** Tokens whose value crossed the bound with the commit of one block. */
export type CrossingsEvent = Omit<CrossingsMessage, 'id'>

/** Delivered events of `fromBlock` and later blocks are void. The events that replace them follow. */
export type ReorgEvent = Omit<ReorgMessage, 'id'>

/** A list as the client hands it on: rows are objects. */
export interface ListMessage {
  readonly type: 'list'
  readonly id: string
  readonly sequence: number
  readonly asOfBlock: string | null
  readonly data: readonly ListRow[]
  readonly matches: number | null | undefined
}

export interface StateSubscribed {
  readonly type: 'subscribed'
  readonly id: string
  readonly channel: 'list' | 'candles'
}

/** A message of a channel. Rows of a list are objects. */
export type ChannelMessage =
  | EventsSubscribed
  | StateSubscribed
  | TradesMessage
  | LaunchesMessage
  | GraduationsMessage
  | CrossingsMessage
  | ReorgMessage
  | GapMessage
  | ListMessage
  | CandlesMessage
