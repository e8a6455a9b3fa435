import type { ClientError } from '#client/clientError.ts'
import type { AbortSignalLike } from '#client/ending.ts'
import type { Holder, Token, Trade } from '#client/generated/types.ts'
import type { Address } from '#domain/address.ts'

/** How a state reached this client. */
export type Source = 'initial' | 'webSocket' | 'eventStream' | 'rest'

export interface WatchedToken {
  readonly address: Address
  readonly sequence: number
  readonly token: Token
  /**
   * The newest trade. From a WebSocket or an event stream it has the token's sequence. REST and `initial` bring the token alone:
   * then it is the one known before, or `null`.
   */
  readonly latestTrade: Trade | null
  /** The 20 largest holders, as recent as `latestTrade`; `null` while unknown. */
  readonly holders: readonly Holder[] | null
  readonly source: Source
}

export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignalLike
  /** A known state, such as one that a server rendered: only newer ones are delivered. */
  readonly initial?: Token
  /** `false`: without the largest holders, which halves the messages; `holders` of each state is then `null`. Default true. */
  readonly holders?: boolean
  /** Called when no more updates will come: `too_many_watches`, or `dismissed` until `reconnect()` of the client. */
  readonly onEnd?: (error: ClientError) => void
}

export interface Watch {
  readonly address: Address
  /** The newest state; `null` before the first one. */
  readonly current: WatchedToken | null
  /** Ends the watch: no listener is called any more. */
  close(): void
}
