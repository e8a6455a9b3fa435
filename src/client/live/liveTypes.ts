import type { LiveMethod, LiveQueryOptions, OpenLiveMethod } from '#client/follow.ts'
import type {
  Candle,
  CandlesFilter,
  CrossingsEvent,
  CrossingsFilter,
  GraduationsEvent,
  GraduationsFilter,
  Holding,
  LaunchesEvent,
  LaunchesFilter,
  ListState,
  LivePosition,
  ReorgEvent,
  TokensQuery,
  Trade,
  TradesEvent,
  TradesFilter,
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

/** Each carries the position to continue from after a restart: store `cursor` and `reorgs`, and pass them as `after` and `reorgs`. */
export type LiveEvent<Data> = BeginEvent | Data | ReorgEvent | GapEvent

/** The parameters of `tokens` without `cursor`. `limit`: at most 200, by default 50. Rows of more than 50 have no images. */
export type ListQuery = Omit<TokensQuery, 'cursor'>

export interface WatchedCandlesQuery extends CandlesFilter {
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
