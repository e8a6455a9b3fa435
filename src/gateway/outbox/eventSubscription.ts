import {
  type EventMessage,
  type EventSubscriber,
  eventsText,
  gapText,
  positionFields,
  reorgText,
  textOf,
} from '#actors/events/eventMessages.ts'
import type { StateSubscriber, WatchedState } from '#actors/stateActors.ts'
import { type ChannelPosition, type EventPlace, formatPlace } from '#domain/eventPlace.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import type { StateChannelName } from '#protocol/channels.ts'
import type { EventChannelName } from '#resources/channelEvent.ts'
import type { FrameQueue, Queued, Sink, WriteResult, Written } from './outboxSubscription.ts'

/** While messages of more than this wait, no other is taken: a slow reader costs at most this and one message per subscription. */
const BUFFER_BYTES = 65_536

export interface EventSubscriptionOptions {
  readonly channel: EventChannelName
  readonly id: string
  /** The client's filters as the service understood them. */
  readonly filters: object
  readonly outbox: FrameQueue
  readonly stats: RealtimeStats
  /** Called when no message waits to be written any more. */
  readonly onDrained: (subscription: EventSubscription) => void
}

/** One connection's interest in a channel of events. Messages of a bounded size wait in it, in order. */
export class EventSubscription implements EventSubscriber, Queued {
  next: Queued | null = null
  readonly id: string
  readonly channel: EventChannelName
  readonly #options: EventSubscriptionOptions
  #waiting: ChannelText[] = []
  #bytes = 0
  #isEnded = false

  constructor(options: EventSubscriptionOptions) {
    this.id = options.id
    this.channel = options.channel
    this.#options = options
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0
  }

  get frameBytes(): number {
    return this.#waiting[0]?.bytes ?? 0
  }

  /** Event streams get this answer as an event, so that clients know where the stream begins. */
  subscribed(position: ChannelPosition): void {
    if (this.#isEnded) return
    const { outbox, filters } = this.#options
    const fields = `"channel":"${this.channel}","filters":${JSON.stringify(filters)},${positionFields(position)}`
    const text = new ChannelText('subscribed', textOf('subscribed', this.id, fields), position)
    if (outbox.transport === 'webSocket') outbox.answer(text.webSocket)
    else this.#add(text)
  }

  deliver(message: EventMessage, reorgs: number): boolean {
    if (this.#isEnded) return true
    if (this.#bytes > BUFFER_BYTES) return false
    const text = eventsText(this.channel, this.id, message, reorgs)
    this.#add(new ChannelText(this.channel, text, { place: message.place, reorgs }, message.bytes))
    return true
  }

  reorg(fromBlock: number, position: ChannelPosition): void {
    this.#add(new ChannelText('reorg', reorgText(this.id, fromBlock, position), position))
  }

  gap(from: EventPlace, position: ChannelPosition): void {
    this.#add(new ChannelText('gap', gapText(this.id, from, position), position))
  }

  /** Drops the waiting messages and ignores later ones. */
  end(): void {
    this.#isEnded = true
    this.#waiting = []
    this.#options.outbox.dequeue(this)
  }

  write(sink: Sink): WriteResult {
    const [first] = this.#waiting
    if (first === undefined) return 'sent'
    const result = sink.writeFrame(first)
    if (result === 'refused') return result
    this.#waiting.shift()
    this.#bytes -= first.bytes
    this.#options.stats.delivered(NOT_TIMED, false)
    if (this.isDrained) this.#options.onDrained(this)
    return result
  }

  #add(text: ChannelText): void {
    if (this.#isEnded) return
    this.#waiting.push(text)
    this.#bytes += text.bytes
    if (this.#waiting.length === 1) this.#options.outbox.enqueue(this)
  }
}

/** The approximate size of a message besides its data, in memory and on the wire. */
const HEAD_BYTES = 200

/** Latencies are measured for updates of tokens only. */
const NOT_TIMED = { completedAtMs: null } as const

/** A message of a channel. Its data is a string that all subscribers with the same filters share. */
class ChannelText implements Written {
  readonly webSocket: string
  readonly bytes: number
  readonly #type: string
  readonly #position: ChannelPosition

  /** @param dataBytes size of the message's data */
  constructor(type: string, text: string, position: ChannelPosition, dataBytes = 0) {
    this.webSocket = text
    this.bytes = dataBytes + HEAD_BYTES
    this.#type = type
    this.#position = position
  }

  /** The id is a position from which a client resumes by `Last-Event-ID`. */
  get eventStream(): string {
    const { place, reorgs } = this.#position
    return `event: ${this.#type}\nid: ${formatPlace(place)}-${reorgs}\ndata: ${this.webSocket}\n\n`
  }
}

interface StateSubscriptionOptions {
  readonly channel: StateChannelName
  readonly id: string
  readonly client: string
  /** Whether the client merges changes into its state. If not, it gets whole states. */
  readonly takesChanges: boolean
}

/** One connection's interest in a list or in candles. At most one state waits in it: a newer one replaces an older one. */
export class StateSubscription<State extends WatchedState<State>> implements StateSubscriber<State>, Queued {
  next: Queued | null = null
  readonly client: string
  readonly #channel: StateChannelName
  readonly #id: string
  readonly #takesChanges: boolean
  readonly #outbox: FrameQueue
  readonly #stats: RealtimeStats
  #state: State | null = null
  #isEnded = false

  constructor({ channel, id, client, takesChanges }: StateSubscriptionOptions, outbox: FrameQueue, stats: RealtimeStats) {
    this.client = client
    this.#channel = channel
    this.#id = JSON.stringify(id)
    this.#takesChanges = takesChanges
    this.#outbox = outbox
    this.#stats = stats
  }

  get frameBytes(): number {
    return this.#state?.fields.length ?? 0
  }

  state(state: State): void {
    if (this.#isEnded) return
    const unsent = this.#state
    const next = this.#takesChanges ? state : state.whole
    this.#state = unsent === null ? next : next.replacing(unsent)
    if (unsent === null) this.#outbox.enqueue(this)
    else this.#stats.conflated()
  }

  /** Drops the waiting state and ignores later ones. */
  end(): void {
    this.#isEnded = true
    this.#state = null
    this.#outbox.dequeue(this)
  }

  write(sink: Sink): WriteResult {
    if (this.#state === null) return 'sent'
    const { sequence, kind, fields } = this.#state
    const type = `${this.#channel}${kind}`
    const webSocket = `{"type":"${type}","id":${this.#id},"sequence":${sequence},${fields}}`
    const result = sink.writeFrame({ webSocket, eventStream: `event: ${type}\nid: ${sequence}\ndata: ${webSocket}\n\n` })
    if (result === 'refused') return result
    this.#state = this.#state.rest
    this.#stats.delivered({ completedAtMs: null }, false)
    return result
  }
}
