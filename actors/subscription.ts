import type { ChannelPosition } from '#domain/eventPlace.ts'
import type { Frame } from './token/frame.ts'

export type Transport = 'webSocket' | 'eventStream'

export interface CurrentState {
  readonly sequence: number
  readonly position: ChannelPosition
}

/**
 * One connection's interest in one token, as the token's actor sees it. The gateway implements it, so the actors never see a socket. A
 * connection has one subscription per token, however often it subscribes.
 *
 * No method waits, throws or calls back into the actors: each only notes what the connection has to write. A slow reader therefore costs
 * one noted frame and delays no other subscriber.
 */
export interface Subscription {
  readonly transport: Transport
  /** The same object for all subscriptions of a connection: connections take turns when tokens are loaded. */
  readonly client: object
  /** Whether the reader is so slow that it has not received the noted frame yet. */
  readonly lagging: boolean
  /** Answers one subscribe with the token's current sequence; `null`: the token is not indexed. Later frames follow the answer. */
  subscribed(sequence: number | null): void
  /**
   * Notes the sequence of the client's newest state, as its subscribe gave it; `null`: it has no state. Only newer states follow.
   *
   * @param current the state that answers the subscribe; `null`: the token is not indexed
   */
  holds(lastSequence: number | null, current: CurrentState | null): void
  /** Offers a state that was committed earlier. A frame that is not newer than the newest one offered before is ignored. */
  snapshot(frame: Frame): void
  /** Offers a state that was just committed. Returns whether it replaces a frame that was never written. */
  update(frame: Frame): boolean
}
