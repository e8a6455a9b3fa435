import type { Holder } from './holders.ts'
import type { RecentTrades } from './recentTrades.ts'
import { type Token, withUsd } from './token.ts'

/** The state that an update carries and that an actor starts with, all read in one transaction. */
export interface TokenSnapshot {
  readonly token: Token
  readonly recent: RecentTrades
  /** The largest 20 by balance. */
  readonly holders: readonly Holder[]
}

/** Fills in the USD values of the token. @param ethUsd USD per ETH as a plain decimal; `null`: not known */
export function snapshotWithUsd(snapshot: TokenSnapshot, ethUsd: string | null): TokenSnapshot {
  return ethUsd === null ? snapshot : { ...snapshot, token: withUsd(snapshot.token, ethUsd) }
}
