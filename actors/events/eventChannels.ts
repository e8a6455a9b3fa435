import { EVENT_CHANNELS } from '#protocol/channels.ts'
import type { EventChannelName } from '#resources/channelEvent.ts'
import { EventChannel } from './eventChannel.ts'
import type { EventChannelOptions } from './eventChannelOptions.ts'

/** The channels of events over all tokens, one actor per channel. A channel without subscribers reads nothing. */
export interface EventChannels {
  of(channel: EventChannelName): Pick<EventChannel, 'subscribe' | 'unsubscribe' | 'drained'>
  /** To be called when the database shows a commit that changed tokens. */
  changed(): void
  /** To be called every few seconds. */
  sweep(): void
  stop(): Promise<void>
}

export function createEventChannels(options: Omit<EventChannelOptions, 'channel'>): EventChannels {
  const channels = new Map<EventChannelName, EventChannel>(
    EVENT_CHANNELS.map(channel => [channel, new EventChannel({ ...options, channel })]),
  )
  return {
    of(name) {
      const channel = channels.get(name)
      if (channel === undefined) throw new TypeError(`there is no channel ${name}`)
      return channel
    },
    changed() {
      for (const channel of channels.values()) channel.changed()
    },
    sweep() {
      for (const channel of channels.values()) channel.sweep()
    },
    async stop() {
      for (const channel of channels.values()) await channel.stop()
    },
  }
}
