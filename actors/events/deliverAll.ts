import type { ChannelPosition } from '#domain/eventPlace.ts'
import type { EventMessage } from './eventMessages.ts'
import type { EventSubscriber } from './eventSubscriber.ts'

/** Delivers messages in order. Returns the position at which the subscriber stopped taking them; `null`: it took all. */
export function deliverAll(
  subscriber: EventSubscriber,
  messages: readonly EventMessage[],
  { place, reorgs }: ChannelPosition,
): ChannelPosition | null {
  let reached = place
  for (const message of messages) {
    if (!subscriber.deliver(message, reorgs)) return { place: reached, reorgs }
    reached = message.place
  }
  return null
}
