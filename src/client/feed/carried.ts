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
