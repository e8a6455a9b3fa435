import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import type { ChannelMessage } from './channelMessages.ts'
import type { ClientError } from './clientError.ts'

/** What a WebSocket or an event stream carries: a token, or a subscription to a channel. Its functions do not throw. */
export interface Carried {
  /** The token's address, or the subscription's `id`: messages are told apart by it. */
  readonly key: string
  readonly isChannel: boolean
  /** The message that subscribes, from where the client is now. */
  subscription(): object
  /** Path and parameters of the event stream, from where the client is now. */
  streamPath(): string
  receive(message: TokenUpdate | ChannelMessage, source: 'webSocket' | 'eventStream'): void
  /** It is no longer carried. `null`: the client was closed. */
  end(error: ClientError | null): void
}
