import type { ChannelPosition, EventPlace } from '#domain/eventPlace.ts'
import type { EventMessage } from './eventMessages.ts'

/**
 * One connection's interest in a channel, as the channel sees it. The gateway implements it. No method waits, throws or calls back into the
 * channel: each only notes what the connection has to write.
 */
export interface EventSubscriber {
  /** Whether no message waits to be written. `EventChannel.drained` tells the channel when this becomes true. */
  readonly isDrained: boolean
  /** Comes before all other calls. The events that follow are later than the position. */
  subscribed(position: ChannelPosition): void
  /** Takes a message. Returns `false` if too much waits already, so that it was not taken. */
  deliver(message: EventMessage, reorgs: number): boolean
  /** Says that the delivered events of `fromBlock` and later blocks are void, if there are any. The events that replace them follow. */
  reorg(fromBlock: number, position: ChannelPosition): void
  /** Says that the events after `from`, up to the position, are not delivered. */
  gap(from: EventPlace, position: ChannelPosition): void
}
