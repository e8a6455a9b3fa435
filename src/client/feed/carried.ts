import type { ClientError } from '#client/clientError.ts'
import type { TokenUpdate } from '#client/generated/types.ts'
import type { Address } from '#domain/address.ts'

/** The message that subscribes. */
export interface SubscriptionMessage {
  readonly type: 'subscribe'
  readonly token?: Address
  /** `false`: updates without holders. */
  readonly holders?: false | undefined
  /** Changes may come as deltas. */
  readonly delta?: true
  /** Sequence of a token's newest complete state; `null`: there is none. */
  readonly sequence?: number | null
}

/** A message of a channel as it came. `key`: the subscription's `id`. */
export interface RawChannelMessage {
  readonly type: 'channel'
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a WebSocket or an event stream carries: a token, or a subscription to a channel. Its functions do not throw. */
export interface Carried {
  /** The token's address, or the subscription's `id`: it distinguishes their messages. */
  readonly key: string
  readonly isChannel: boolean
  /** The message to subscribe from the client's present position. */
  subscription(): SubscriptionMessage
  /** Tokens of the same batch can be subscribed to with one message; `null`: needs a message of its own. */
  readonly batch: string | null
  /** Path and parameters of the event stream, from the client's present position. */
  streamPath(): string
  receive(message: TokenUpdate | RawChannelMessage, source: 'webSocket' | 'eventStream'): void
  /** It is no longer carried. `null`: the client was closed. */
  end(error: ClientError | null): void
}

/** The addresses of the tokens among them. */
export function tokensOf(carried: Iterable<Carried>): readonly Address[] {
  return [...carried].flatMap(({ isChannel, key }) => (isChannel ? [] : [key as Address]))
}

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
