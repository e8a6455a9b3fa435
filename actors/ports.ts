import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'

/** Where an actor learns the state of its token when somebody begins to watch it. */
export interface History {
  /**
   * The committed state of a token, read in one transaction; `null` when it is not indexed.
   *
   * @throws when the database can't answer; the actor then resyncs
   */
  load(token: Address): Promise<TokenSnapshot | null>
}

/** What the actors ask about prices that are not chain state. */
export interface Quotes {
  /** USD per ETH as a plain decimal string; `null` when there is none that may be shown. Never waits. */
  ethUsd(): string | null
}
