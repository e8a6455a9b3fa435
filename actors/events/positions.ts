import { type ChannelPosition, comparePlaces, type EventPlace } from '#domain/eventPlace.ts'
import type { ChannelEvents } from '#resources/channelEvent.ts'

/** The position at which a subscriber begins. The channel has the value of a `null` part: without `reorgs`, only later reorgs are told. */
export interface ResumePosition {
  readonly place: EventPlace | null
  readonly reorgs: number | null
}

/** Whether events were read from a replica that lags behind. */
export function isStale({ reorgs, voidFrom, newest }: ChannelEvents, after: ChannelPosition): boolean {
  return reorgs < after.reorgs || (voidFrom === null && comparePlaces(newest, after.place) < 0)
}

/** Whether the channel has not reached the position yet. */
export function isAhead({ place, reorgs }: ChannelPosition, channel: ChannelPosition): boolean {
  return reorgs > channel.reorgs || (reorgs === channel.reorgs && comparePlaces(place, channel.place) > 0)
}
