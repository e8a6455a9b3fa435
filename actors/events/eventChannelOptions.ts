import type { Logger } from 'pino'
import type { ChannelEvents, ChannelEventsQuery, EventChannelName } from '#resources/channelEvent.ts'

export interface EventChannelOptions {
  readonly channel: EventChannelName
  readonly read: (query: ChannelEventsQuery) => Promise<ChannelEvents>
  /** USD per ETH as a plain decimal; `null`: no price may be shown. */
  readonly ethUsd: () => string | null
  readonly logger: Logger
  readonly now: () => number
  /** The most events that are read at once. Default: `PAGES`. */
  readonly pages?: typeof PAGES
  /** The most events in a message. Default: as many as fit. */
  readonly eventsPerMessage?: number
}

/** Page sizes for subscribers that follow, and for those that are behind: one of the latter takes about as many events at once. */
export const PAGES = { following: 1_000, behind: 100 }
