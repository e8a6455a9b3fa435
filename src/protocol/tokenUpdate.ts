import type { Holder } from '#domain/holder.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'

/** A token's full state after a commit, as WebSocket and SSE send it. It replaces all earlier ones, so a client may miss some. */
export interface TokenUpdate {
  readonly type: 'token.update'
  readonly sequence: number
  readonly token: Token
  readonly latestTrade: Trade | null
  /** The 20 largest, or fewer when the message would exceed its size limit. */
  readonly holders: readonly Holder[]
  readonly reason: 'chain'
  readonly sourceBlock: string
  readonly timestamp: string
  /**
   * All trades of the token since the previous update, newest last. `null`: they don't fit, or the previous update is not known, as for
   * the first update after subscribing. Read them over REST.
   */
  readonly trades: readonly Trade[] | null
  /** After a reorg the first block whose earlier trades are void. */
  readonly replacedFrom?: string
}

/** The fields of an update that tell the token's state. The others depend on what the receiver was sent before. */
export type UpdatedState = Omit<TokenUpdate, 'trades' | 'replacedFrom'>
