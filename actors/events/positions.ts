import { type ChannelPosition, comparePlaces, type EventPlace } from '#domain/eventPlace.ts'
import type { ChannelEvents } from '#resources/channelEvent.ts'

/** Where a subscriber begins. A `null` part is taken from the channel: without `reorgs` only later reorgs are reported. */
export interface ResumePosition {
  readonly place: EventPlace | null
  readonly reorgs: number | null
}

/** Whether the answer is that of a replica that lags behind. */
export function isStale({ reorgs, voidFrom, newest }: ChannelEvents, after: ChannelPosition): boolean {
  return reorgs < after.reorgs || (voidFrom === null && comparePlaces(newest, after.place) < 0)
}

/** Whether the channel has not reached the position yet. */
export function isAhead({ place, reorgs }: ChannelPosition, channel: ChannelPosition): boolean {
  return reorgs > channel.reorgs || (reorgs === channel.reorgs && comparePlaces(place, channel.place) > 0)
}
