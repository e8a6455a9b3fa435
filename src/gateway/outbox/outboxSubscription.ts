import type { CurrentState, Subscription, Transport } from '#actors/subscription.ts'
import type { EncodedMessage, Frame, SentState } from '#actors/token/frame.ts'
import type { Address } from '#domain/address.ts'
import type { ChannelPosition } from '#domain/eventPlace.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { encodeSubscribed } from '#protocol/parseClientMessage.ts'

/** One connection's interest in one token. At most one frame waits in it: a newer one replaces an older one. */
export class OutboxSubscription implements Subscription, Queued {
  readonly token: Address
  next: Queued | null = null
  #queue: FrameQueue
  readonly #stats: RealtimeStats
  #frame: Frame | null = null
  /** The position up to which the client has the trades; `null`: not known. */
  #position: ChannelPosition | null = null
  /** The state that this connection was sent last, if it takes deltas; `null`: none. */
  #sent: SentState | null = null
  #isUpdate = false
  /** The sequence of the newest state that was offered. */
  #newestSequence = -1
  /** The sequence of the state that the client has, as its newest subscribe gave it. */
  #heldSequence = -1
  #isOneOfSeveral = false
  #withHolders = true
  #withDeltas = false
  #isEnded = false
  #asked = 0
  #answered = 0
  /** The ids of unanswered subscribes by their numbers; `null`: none has an id, as nearly always. */
  #ids: Map<number, string> | null = null

  constructor(token: Address, outbox: FrameQueue, stats: RealtimeStats) {
    this.token = token
    this.#queue = outbox
    this.#stats = stats
  }

  get transport(): Transport {
    return this.#queue.transport
  }

  get client(): object {
    return this.#queue.connection
  }

  get lagging(): boolean {
    return this.#frame !== null && this.#queue.isBlocked
  }

  get frameBytes(): number {
    return this.#frame === null ? 0 : this.#messageOf(this.#frame).webSocket.length
  }

  /** Sets whether frames have holders. After a change, a frame of the newest sequence may come once more, in the other form. */
  wantHolders(withHolders: boolean): void {
    if (withHolders === this.#withHolders) return
    this.#withHolders = withHolders
    this.#newestSequence = -1
  }

  /** Sets whether the client applies deltas. The first update after it does is a full one. */
  wantDeltas(withDeltas: boolean): void {
    this.#withDeltas = withDeltas
    if (!withDeltas) this.#forgetSent()
  }

  /** Sets the least time between two states. A waiting state is written by the new one. @param outbox of the connection */
  wantInterval(minIntervalMs: number, outbox: PacingQueue): void {
    if (minIntervalMs === this.#queue.minIntervalMs) return
    this.#queue.dequeue(this)
    this.#queue = outbox.paced(minIntervalMs)
    if (this.#frame !== null) this.#queue.enqueue(this)
  }

  /**
   * Notes a subscribe of the client. Each is answered once, in order.
   *
   * @param isOneOfSeveral whether its message names several tokens, of which the client may have older states than the given sequence
   */
  asked(id: string | undefined, isOneOfSeveral: boolean): void {
    this.#isOneOfSeveral = isOneOfSeveral
    if (id !== undefined) {
      this.#ids ??= new Map()
      this.#ids.set(this.#asked, id)
    }
    this.#asked++
  }

  subscribed(sequence: number | null): void {
    const id = this.#takeId()
    if (!this.#isEnded && this.transport === 'webSocket') this.#queue.answer(encodeSubscribed(this.token, sequence, id))
  }

  holds(lastSequence: number | null, current: CurrentState | null): void {
    this.#heldSequence = lastSequence ?? -1
    if (this.#isOneOfSeveral) this.#heldSequence = Math.min(this.#heldSequence, current?.sequence ?? -1)
    else if (current !== null && current.sequence === lastSequence && this.#newestSequence < 0) this.#position ??= current.position
  }

  snapshot(frame: Frame): void {
    this.#offer(frame, false)
  }

  update(frame: Frame): boolean {
    return this.#offer(frame, true)
  }

  /** Drops the waiting frame and ignores later ones. */
  end(): void {
    this.#isEnded = true
    this.#frame = null
    this.#forgetSent()
    this.#queue.dequeue(this)
  }

  write(sink: Sink): WriteResult {
    const frame = this.#frame
    if (frame === null) return 'sent'
    const result = sink.writeFrame(this.#messageOf(frame))
    if (result === 'refused') return result
    this.#frame = null
    this.#position = frame.position
    if (this.#withDeltas) this.#sent = frame.received(this.#sent)
    this.#stats.delivered(frame, this.#isUpdate)
    return result
  }

  #messageOf(frame: Frame): EncodedMessage {
    return this.#sent === null ? frame.since(this.#position) : frame.from(this.#sent)
  }

  #forgetSent(): void {
    this.#sent?.release()
    this.#sent = null
  }

  #takeId(): string | undefined {
    const number = this.#answered++
    const id = this.#ids?.get(number)
    if (id !== undefined && this.#ids?.delete(number) && this.#ids.size === 0) this.#ids = null
    return id
  }

  #offer(frame: Frame, isUpdate: boolean): boolean {
    if (frame.sequence <= Math.max(this.#newestSequence, this.#heldSequence) || this.#isEnded) return false
    this.#newestSequence = frame.sequence
    const isFirst = this.#frame === null
    this.#frame = this.#withHolders ? frame : frame.withoutHolders
    this.#isUpdate = isUpdate
    if (isFirst) this.#queue.enqueue(this)
    else this.#stats.conflated()
    return !isFirst
  }
}

/** The part of an outbox that subscriptions use. Its own type would be a circular import. */
export interface FrameQueue {
  readonly transport: Transport
  /** Tells connections apart. */
  readonly connection: object
  /** The least time between two messages of a subscription. */
  readonly minIntervalMs: number
  readonly isBlocked: boolean
  answer(text: string): void
  /** Adds a subscription that has something to write. It must not be in the queue already. */
  enqueue(queued: Queued): void
  dequeue(queued: Queued): void
}

/** The queue of a connection. */
export interface PacingQueue extends FrameQueue {
  /** The queue of a subscription with a least time between messages; this one for 0. */
  paced(minIntervalMs: number): FrameQueue
}

/** An entry of an outbox's queue: a subscription that has something to write. */
export interface Queued {
  /** The next one in the queue, which only the outbox sets. */
  next: Queued | null
  /** The size of the next message; 0: there is none. */
  readonly frameBytes: number
  /** Writes one message. A refused message stays. */
  write(sink: Sink): WriteResult
}

/** A connection's socket, as its outbox uses it. No method throws. */
export interface Sink {
  readonly transport: Transport
  writeFrame(frame: Written): WriteResult
  writeAnswer(text: string): WriteResult
  /** Collects the writes of `write` into one system call. Returns `false` if some data is still buffered, until the socket drains. */
  cork(write: () => void): boolean
  /** Closes the connection, since its client sends more and more messages and does not read the answers. */
  tooManyAnswers(): void
}

/** `sent`: taken; `full`: taken, but no more may be written until the socket drains; `refused`: not taken, to be written again then. */
export type WriteResult = 'sent' | 'full' | 'refused'

/** A message in the form of each transport. */
export interface Written {
  readonly webSocket: Uint8Array | string
  readonly eventStream: Uint8Array | string
}
