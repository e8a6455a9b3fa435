import type { ClientError } from '#client/clientError.ts'
import type { RawChannelMessage } from '#client/feed/carried.ts'

/** One subscription to a channel. Its functions must not throw. */
export interface ChannelSubscriber {
  readonly channel: 'trades' | 'launches' | 'graduations' | 'crossings' | 'list' | 'candles'
  readonly filters: object
  /** The client's position, read with each subscription; `null`: it has none yet, or the channel carries candles. */
  position(): ChannelResume | null
  receive(message: RawChannelMessage): void
  /** Nothing follows. `null`: the client was closed. */
  end(error: ClientError | null): void
}

export interface ChannelResume {
  readonly after?: string
  readonly reorgs?: number
  /** Changes of a list may come as such. */
  readonly delta?: true
}

export interface ChannelLink {
  /** Whether a WebSocket or an event stream carries it now. */
  isLive(): boolean
  close(): void
}
