import type { Address } from '#domain/address.ts'
import type { Client } from '#gateway/admission/client.ts'
import type { Outbox } from '#gateway/outbox/outbox.ts'
import type { ChannelRequest } from './channelRequest.ts'
import { type ChannelRefusal, ChannelSubscriptions } from './channelSubscriptions.ts'
import type { ConnectionDeps } from './connections.ts'

/** The token or channel that an event stream follows. */
export type StreamSubscription =
  /** `lastSequence`: the newest sequence that the client has; `null`: none. `delta`: whether it applies deltas. */
  | { readonly of: 'token'; readonly token: Address; readonly lastSequence: number | null; readonly delta: boolean }
  | { readonly of: 'channel'; readonly request: ChannelRequest }

/** Subscribes a stream's outbox. Returns the function that ends the subscription, or why it was refused. */
export function subscribeStream(
  subscription: StreamSubscription,
  client: Client,
  outbox: Outbox,
  { registry, channels, lists, candles, stats }: Pick<ConnectionDeps, 'registry' | 'channels' | 'lists' | 'candles' | 'stats'>,
): (() => void) | ChannelRefusal {
  if (subscription.of === 'channel') {
    const subscriptions = new ChannelSubscriptions({ channels, lists, candles }, client, outbox, stats)
    return subscriptions.subscribe(subscription.request) ?? (() => subscriptions.end())
  }
  const { token, lastSequence, delta } = subscription
  const ofToken = outbox.subscription(token)
  ofToken.wantDeltas(delta)
  stats.subscribed()
  registry.subscribe(token, ofToken, lastSequence)
  return () => {
    ofToken.end()
    registry.unsubscribe(token, ofToken)
    stats.unsubscribed()
  }
}
