import type { Holder } from './holder.ts'
import type { RecentTrades } from './recentTrades.ts'
import type { Token } from './token.ts'

/** What an update carries and what an actor is activated with: all of it read in one transaction. */
export interface TokenSnapshot {
  readonly token: Token
  readonly recent: RecentTrades
  /** The largest 20 by balance. */
  readonly holders: readonly Holder[]
}
