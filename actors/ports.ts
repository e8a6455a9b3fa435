import type { Address } from '#domain/address.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { Frame } from './token/frame.ts'

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

export type Transport = 'webSocket' | 'eventStream'

/**
 * One connection's interest in one token, as the token's actor sees it; the gateway makes it and the actors never see a socket. A
 * connection has one per token, however often it subscribes.
 *
 * No method waits, throws or calls back into the actors: each only notes what is owed to the connection, which writes when it can. A slow
 * reader therefore costs one noted frame and holds nobody up.
 */
export interface Subscription {
  readonly transport: Transport
  /** True while the connection's reader is too slow to have been given what is owed. */
  readonly lagging: boolean
  /** Answers one subscribe with the token's current sequence, `null`: not indexed. Comes before every frame that is offered later. */
  subscribed(sequence: number | null): void
  /** Offers the state as it already was. A frame that is not newer than the newest one offered before is ignored. */
  snapshot(frame: Frame): void
  /**
   * Offers what was just committed, in the same way; the time from the commit to its delivery counts.
   *
   * @returns whether it takes the place of a frame that was never written
   */
  update(frame: Frame): boolean
}
