import type { ChannelEvents } from '#domain/channelEvent.ts'
import { type ChannelPosition, comparePlaces, type EventPlace } from '#domain/eventPlace.ts'

/** Where a subscriber begins. A part that is `null` is as the channel has it: without `reorgs` only later reorgs are told. */
export interface ResumePosition {
  readonly place: EventPlace | null
  readonly reorgs: number | null
}

/** A replica that lags behind has answered. */
export function isStale({ reorgs, voidFrom, newest }: ChannelEvents, after: ChannelPosition): boolean {
  return reorgs < after.reorgs || (voidFrom === null && comparePlaces(newest, after.place) < 0)
}

/** Whether a position is one that the channel has not reached. */
export function isAhead({ place, reorgs }: ChannelPosition, channel: ChannelPosition): boolean {
  return reorgs > channel.reorgs || (reorgs === channel.reorgs && comparePlaces(place, channel.place) > 0)
}
