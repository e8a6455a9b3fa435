import type { ChannelPosition, EventPlace } from '#domain/eventPlace.ts'
import type { EventMessage } from './eventMessages.ts'

/**
 * One connection's interest in a channel, as the channel sees it. The gateway implements it. No method waits, throws or calls back into the
 * channel: each only notes what the connection has to write.
 */
export interface EventSubscriber {
  /** True when nothing waits to be written. The channel is told of it (`EventChannel.drained`). */
  readonly isDrained: boolean
  /** Precedes everything else. What follows is later than the position. */
  subscribed(position: ChannelPosition): void
  /** Returns false when too much waits already: the message was not taken. */
  deliver(message: EventMessage, reorgs: number): boolean
  /** Events of `fromBlock` and later ones that it was told of are void. Those that took their place follow. */
  reorg(fromBlock: number, position: ChannelPosition): void
  /** It is not told of the events after `from`, up to the position. */
  gap(from: EventPlace, position: ChannelPosition): void
}
