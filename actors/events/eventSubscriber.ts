import type { ChannelPosition, EventPlace } from '#domain/eventPlace.ts'
import type { EventMessage } from './eventMessages.ts'

/**
 * One connection's interest in a channel, as the channel sees it. The gateway implements it. No method waits, throws or calls back into the
 * channel: each only notes what the connection has to write.
 */
export interface EventSubscriber {
  /** True when nothing waits to be written. `EventChannel.drained` tells the channel when it becomes true. */
  readonly isDrained: boolean
  /** Precedes all other calls. The events that follow are later than the position. */
  subscribed(position: ChannelPosition): void
  /** Returns false when too much waits already: the message was not taken. */
  deliver(message: EventMessage, reorgs: number): boolean
  /** Events of block `fromBlock` and later blocks that were delivered are void, if any were. The events that replace them follow. */
  reorg(fromBlock: number, position: ChannelPosition): void
  /** The events after `from`, up to the position, are not delivered. */
  gap(from: EventPlace, position: ChannelPosition): void
}
