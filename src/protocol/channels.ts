import type { EventChannelName } from '#resources/channelEvent.ts'

/** The channels of events over all tokens. */
export const EVENT_CHANNELS = ['trades', 'launches', 'graduations', 'crossings'] as const satisfies readonly EventChannelName[]

/** The channels of states: only the newest state is sent, since it replaces all earlier ones. */
const STATE_CHANNELS = ['list', 'candles'] as const

export type StateChannelName = (typeof STATE_CHANNELS)[number]

/** What can be subscribed to besides tokens: events over all tokens, lists of tokens, and candles. */
export const CHANNELS = [...EVENT_CHANNELS, ...STATE_CHANNELS] as const

export type ChannelName = (typeof CHANNELS)[number]

export function isChannel(value: unknown): value is ChannelName {
  return CHANNELS.some(channel => channel === value)
}
