import type { Holder } from './holder.ts'
import type { RecentTrades } from './recentTrades.ts'
import type { Token } from './token.ts'

/** The state that an update carries and that an actor starts with, all read in one transaction. */
export interface TokenSnapshot {
  readonly token: Token
  readonly recent: RecentTrades
  /** The largest 20 by balance. */
  readonly holders: readonly Holder[]
}
