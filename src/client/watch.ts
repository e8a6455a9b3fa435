import type { Address } from '#domain/address.ts'
import type { Holder } from '#domain/holder.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import type { TokenwireError } from './tokenwireError.ts'

/** How a state came to this client. */
export type Source = 'initial' | 'webSocket' | 'eventStream' | 'rest'

/** What is held of a watched token. */
export interface WatchedToken {
  readonly address: Address
  readonly sequence: number
  readonly token: Token
  /**
   * The newest trade, of the same sequence as the token when the state came over WebSocket or an event stream. REST and `initial` bring the token
   * alone: then it is the one that was known before, or `null`.
   */
  readonly latestTrade: Trade | null
  /** The largest 20, under the same condition; `null`: not known yet. */
  readonly holders: readonly Holder[] | null
  readonly source: Source
}

/** Trades in the order of the chain, each given once. */
export interface NewTrades {
  readonly trades: readonly Trade[]
  /** True when there were more before these than are fetched, or some could not be fetched: load the list anew to be complete. */
  readonly gap: boolean
}

export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal
  /** A state that is known already, such as one a server rendered: only newer ones are news. */
  readonly initial?: Token
  /**
   * Called with every trade after `tradesSince`, also those that no update mentioned: they are fetched over REST. Without it the watch costs no requests of its own.
   */
  readonly onTrades?: (news: NewTrades) => void
  /** The newest trade that is known already. Default: the newest one when the watch begins. */
  readonly tradesSince?: Trade
  /** Called when no update will come any more, once: `dismissed` or `too_many_watches`. */
  readonly onEnd?: (error: TokenwireError) => void
}

export interface Watch {
  readonly address: Address
  /** The newest state; `null` before the first one. */
  readonly current: WatchedToken | null
  /** Nothing is called any more. */
  close(): void
}
