import type { Logger } from 'pino'
import type { ChannelEvents, ChannelEventsQuery, EventChannelName } from '#resources/channelEvent.ts'

export interface EventChannelOptions {
  readonly channel: EventChannelName
  readonly read: (query: ChannelEventsQuery) => Promise<ChannelEvents>
  /** USD per ETH as a plain decimal; `null`: none that may be shown. */
  readonly ethUsd: () => string | null
  readonly logger: Logger
  readonly now: () => number
  /** How many events are read at once. Default: `PAGES`. */
  readonly pages?: typeof PAGES
  /** Most events in a message. Default: as many as fit. */
  readonly eventsPerMessage?: number
}

/** For subscribers that follow, and for those that are behind: about as many as one of the latter takes at once. */
export const PAGES = { following: 1_000, behind: 100 }
