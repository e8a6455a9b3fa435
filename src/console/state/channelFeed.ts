import type { WebSocketLike } from '#client/options.ts'
import type { ChannelName } from '#protocol/channels.ts'
import { type FeedMessage, readFeedMessage } from './feedMessage.ts'

export interface ChannelSubscription {
  readonly channel: ChannelName
  readonly filters?: object
  readonly onMessage: (message: FeedMessage) => void
  /** The connection broke. `subscribed` follows when there is another one; what happened meanwhile has to be read over REST. */
  readonly onLost: () => void
}

/** Subscriptions to channels over the WebSocket of the client. */
export interface ChannelFeed {
  /** For the client's option `WebSocket`: its sockets carry the channels, too. */
  readonly Socket: new (
    url: string,
  ) => WebSocketLike
  /** Returns a function that ends the subscription. */
  subscribe(subscription: ChannelSubscription): () => void
}

const ID_PREFIX = 'console-'

export function createChannelFeed(Base: typeof WebSocket = WebSocket): ChannelFeed {
  const subscriptions = new Map<string, ChannelSubscription>()
  /** The socket that carries the channels: the first open one. */
  let carrier: WebSocket | null = null
  let count = 0

  const send = (message: object) => {
    if (carrier?.readyState === Base.OPEN) carrier.send(JSON.stringify(message))
  }
  const ask = (id: string, { channel, filters = {} }: ChannelSubscription) => send({ type: 'subscribe', channel, id, filters })

  function opened(socket: WebSocket): void {
    if (carrier !== null) return
    carrier = socket
    for (const [id, subscription] of subscriptions) ask(id, subscription)
  }

  function ended(socket: WebSocket): void {
    if (carrier !== socket) return
    carrier = null
    for (const { onLost } of Array.from(subscriptions.values())) onLost()
  }

  class ChannelSocket extends Base {
    constructor(url: string) {
      super(url)
      this.addEventListener('open', () => opened(this))
      this.addEventListener('close', () => ended(this))
      this.addEventListener('message', event => {
        const received = this === carrier ? readFeedMessage(event.data) : null
        // Others are the client's.
        if (received === null || !received.id.startsWith(ID_PREFIX)) return
        event.stopImmediatePropagation()
        if (received.message !== null) subscriptions.get(received.id)?.onMessage(received.message)
      })
    }

    /** The client drops a socket that it closes, without waiting for the event. */
    override close(code?: number): void {
      ended(this)
      super.close(code)
    }
  }

  return {
    Socket: ChannelSocket,
    subscribe(subscription) {
      const id = `${ID_PREFIX}${++count}`
      subscriptions.set(id, subscription)
      ask(id, subscription)
      return () => {
        if (subscriptions.delete(id)) send({ type: 'unsubscribe', id })
      }
    },
  }
}
