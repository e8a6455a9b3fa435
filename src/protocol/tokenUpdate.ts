import type { Holder } from '#domain/holder.ts'
import type { Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'

/** A token's full state after a commit, as WebSocket and SSE carry it: whoever missed earlier ones is right again with it. */
export interface TokenUpdate {
  readonly type: 'token.update'
  readonly sequence: number
  readonly token: Token
  readonly latestTrade: Trade | null
  /** The largest 20, or fewer when the message would be too large. */
  readonly holders: readonly Holder[]
  readonly reason: 'chain'
  readonly sourceBlock: string
  /** Time of the commit. */
  readonly timestamp: string
}
