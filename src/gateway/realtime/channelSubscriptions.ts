import type { WatchedCandles } from '#actors/candles.ts'
import type { EventChannels } from '#actors/events/eventChannel.ts'
import type { Lists } from '#actors/lists.ts'
import type { StateActors, WatchedState, WatchRefusal } from '#actors/stateActors.ts'
import { type Client, clientId } from '#gateway/admission/admission.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { EventSubscription, StateSubscription } from '#gateway/outbox/eventSubscription.ts'
import type { FrameQueue, PacingQueue } from '#gateway/outbox/outboxSubscription.ts'
import type { StateChannelName } from '#protocol/channels.ts'
import { MAX_CHANNEL_SUBSCRIPTIONS, MAX_WATCHED_PER_CLIENT } from '#protocol/limits.ts'
import { encodeStateSubscribed } from '#protocol/parseClientMessage.ts'
import type { EventChannelName } from '#resources/channelEvent.ts'
import type { ChannelRequest } from './channelRequest.ts'

/** The actors behind channels. */
export interface ChannelActors {
  readonly channels: Pick<EventChannels, 'of'>
  readonly lists: Pick<Lists, 'subscribe' | 'unsubscribe'>
  readonly candles: Pick<WatchedCandles, 'subscribe' | 'unsubscribe'>
}

/** Why a subscription was refused. `client`: the client has too many; `server`: all clients together have too many. */
export interface ChannelRefusal {
  readonly limitOf: 'client' | 'server'
  /** The reason as a text for people. */
  readonly message: string
}

interface Subscribed {
  readonly channel: ChannelRequest['channel']
  end(): void
}

/** One connection's subscriptions to channels, by the id that the client gave them. */
export class ChannelSubscriptions {
  readonly #byId = new Map<string, Subscribed>()
  readonly #actors: ChannelActors
  readonly #client: Client
  readonly #outbox: PacingQueue
  readonly #stats: RealtimeStats

  constructor(actors: ChannelActors, client: Client, outbox: PacingQueue, stats: RealtimeStats) {
    this.#actors = actors
    this.#client = client
    this.#outbox = outbox
    this.#stats = stats
  }

  /**
   * Subscribes in place of a subscription with the same id. Returns why it was refused, and then keeps that one; `null`: it was not.
   *
   * @param minIntervalMs the least time between messages
   */
  subscribe(request: ChannelRequest, minIntervalMs: number): ChannelRefusal | null {
    const { id, channel } = request
    const before = this.#byId.get(id)
    if (before === undefined && this.#byId.size >= MAX_CHANNEL_SUBSCRIPTIONS) {
      return { limitOf: 'client', message: `a connection may have ${MAX_CHANNEL_SUBSCRIPTIONS} subscriptions to channels` }
    }
    const end = this.#start(request, this.#outbox.paced(minIntervalMs), before?.channel === channel)
    if (typeof end === 'string') return describeRefusal(end, channel, this.#client)
    this.unsubscribe(id)
    this.#byId.set(id, { channel, end })
    this.#stats.subscribed()
    return null
  }

  unsubscribe(id: string): void {
    const subscribed = this.#byId.get(id)
    if (subscribed === undefined) return
    this.#byId.delete(id)
    subscribed.end()
    this.#stats.unsubscribed()
  }

  end(): void {
    for (const id of this.#byId.keys()) this.unsubscribe(id)
  }

  /** Subscribes to an actor. Returns the function that ends the subscription, or why it was refused. */
  #start(request: ChannelRequest, queue: FrameQueue, replaces: boolean): (() => void) | WatchRefusal {
    const { lists, candles } = this.#actors
    if (request.channel === 'list') return this.#subscribeToState(request, queue, lists, replaces)
    if (request.channel === 'candles') return this.#subscribeToState(request, queue, candles, replaces)
    return this.#subscribeToEvents(request, queue)
  }

  #subscribeToEvents(
    { channel, id, accepted, filter, position }: Extract<ChannelRequest, { channel: EventChannelName }>,
    queue: FrameQueue,
  ): () => void {
    const actor = this.#actors.channels.of(channel)
    const subscription = new EventSubscription({
      channel,
      id,
      filters: accepted,
      outbox: queue,
      stats: this.#stats,
      onDrained: drained => actor.drained(drained),
    })
    actor.subscribe(subscription, filter, position)
    return () => {
      subscription.end()
      actor.unsubscribe(subscription)
    }
  }

  #subscribeToState<Query, State extends WatchedState<State>>(
    { channel, id, accepted, query, takesChanges }: StateRequest<Query>,
    queue: FrameQueue,
    actors: Pick<StateActors<Query, State>, 'subscribe' | 'unsubscribe'>,
    replaces: boolean,
  ): (() => void) | WatchRefusal {
    const client = clientId(this.#client)
    const subscription = new StateSubscription<State>({ channel, id, client, takesChanges }, queue, this.#stats)
    const refusal = actors.subscribe(query, subscription, replaces)
    if (refusal !== null) return refusal
    // Answers are written before states.
    this.#outbox.answer(encodeStateSubscribed(channel, id, accepted))
    return () => {
      subscription.end()
      actors.unsubscribe(query, subscription)
    }
  }
}

function describeRefusal(refusal: WatchRefusal, channel: ChannelRequest['channel'], { key }: Client): ChannelRefusal {
  const watched = channel === 'list' ? 'lists' : channel
  return refusal === 'tooManyOfClient'
    ? {
        limitOf: 'client',
        message: `the connections of ${key === null ? 'a client address' : 'an API key'} may have ${MAX_WATCHED_PER_CLIENT} different ${watched}`,
      }
    : { limitOf: 'server', message: `the server watches as many different ${watched} as it may` }
}

interface StateRequest<Query> {
  readonly channel: StateChannelName
  readonly id: string
  readonly accepted: object
  readonly query: Query
  readonly takesChanges: boolean
}
