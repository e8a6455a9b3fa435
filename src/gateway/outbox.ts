import type { Subscription, Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { Address } from '#domain/address.ts'
import { encodeSubscribed } from '#protocol/encodeAnswer.ts'
import type { Flushable, Flusher } from './flusher.ts'
import type { RealtimeStats } from './realtimeStats.ts'

/** `sent`: more may follow; `full`: taken, but nothing more until the socket is writable; `refused`: not taken, try when it is writable. */
export type WriteResult = 'sent' | 'full' | 'refused'

/** A socket as an outbox sees it. Nothing throws. */
export interface Sink {
  readonly transport: Transport
  writeFrame(frame: Frame): WriteResult
  writeAnswer(text: string): WriteResult
  /** Lets what is written inside leave in one system call. Returns false when not all of it could leave: wait until writable. */
  cork(write: () => void): boolean
  /** The client asks and asks without reading the answers. To be closed. */
  tooManyAnswers(): void
}

/** What one connection writes before the others have their turn: at most some 100 µs of work, and the updates of 23 tokens with all their holders, or of eight of the largest. */
const SLICE_BYTES = 131_072

/** Answers that may wait for a client to read: five bursts of subscribing to everything that one may. */
const MAX_WAITING_ANSWERS = 1_024

/**
 * What is owed to one connection: its answers in order, and per subscribed token at most the newest frame. Frames put in during one tick
 * are written together at its end. While the socket is full nothing is written and newer frames take the place of older ones, so that a
 * slow reader costs a bounded amount of memory and gets the newest state of each token when it reads again.
 *
 * Answers go before frames. That keeps every order a client can see: `subscribed` before its snapshot, and since unsubscribing drops the
 * token's frame, no frame after `unsubscribed`.
 */
export class Outbox implements Flushable {
  /** Belongs to the flusher. */
  behind: Flushable | null | undefined = undefined
  readonly #sink: Sink
  readonly #flusher: Flusher
  readonly #stats: RealtimeStats
  readonly #now: () => number
  /** `null` when there are none, as nearly always: an empty array that once held some keeps its room. */
  #answers: string[] | null = null
  /** Subscriptions with a frame, first come first served: a list through `OutboxSubscription.next`, so that owing a frame allocates nothing. */
  #first: OutboxSubscription | null = null
  #last: OutboxSubscription | null = null
  #isClosed = false
  #stuckSinceMs: number | null = null

  /** @param now monotonic, in ms */
  constructor(sink: Sink, flusher: Flusher, stats: RealtimeStats, now: () => number) {
    this.#sink = sink
    this.#flusher = flusher
    this.#stats = stats
    this.#now = now
  }

  get transport(): Transport {
    return this.#sink.transport
  }

  /** Since when the reader has read nothing though data waits for it; `null`: it keeps up. */
  get stuckSinceMs(): number | null {
    return this.#stuckSinceMs
  }

  get isBlocked(): boolean {
    return this.#stuckSinceMs !== null
  }

  /** Whether nothing is owed. */
  get isEmpty(): boolean {
    return this.#answers === null && this.#first === null
  }

  /** The connection's interest in one token, to be handed to the actors. */
  subscription(token: Address): OutboxSubscription {
    return new OutboxSubscription(token, this, this.#stats)
  }

  /** Owes an answer. */
  answer(text: string): void {
    if (this.#isClosed) return
    this.#answers ??= []
    this.#answers.push(text)
    this.#flusher.add(this)
  }

  /** Owes a subscription's frame. It must not be owed already. */
  owe(subscription: OutboxSubscription): void {
    if (this.#isClosed) return
    if (this.#last === null) this.#first = subscription
    else this.#last.next = subscription
    this.#last = subscription
    this.#flusher.add(this)
  }

  disown(subscription: OutboxSubscription): void {
    let before: OutboxSubscription | null = null
    for (let one = this.#first; one !== null; before = one, one = one.next) {
      if (one === subscription) {
        this.#unlink(before, one)
        return
      }
    }
  }

  /** Writes what is owed, as far as the socket takes it. */
  flush(): void {
    while (this.flushSlice());
  }

  /** Writes the next of it. Returns whether there is more that the socket may take. */
  flushSlice(): boolean {
    if (this.#isClosed) return false
    if (this.#answers !== null && this.#answers.length > MAX_WAITING_ANSWERS) {
      this.#sink.tooManyAnswers()
      return false
    }
    if (this.isBlocked || this.isEmpty) return false
    this.#write()
    return !this.isBlocked && !this.isEmpty
  }

  /** The socket has taken some of what was buffered: the reader lives. */
  progress(): void {
    if (this.isBlocked) this.#stuckSinceMs = this.#now()
  }

  /** The socket is full, as was found out by writing something else to it. */
  block(): void {
    this.#stuckSinceMs ??= this.#now()
  }

  /** The socket can take more. Returns whether anything was written. */
  resume(): boolean {
    this.#stuckSinceMs = null
    const wasEmpty = this.isEmpty
    if (this.flushSlice()) this.#flusher.add(this)
    return !wasEmpty
  }

  /** Nothing is written after this. */
  close(): void {
    this.#isClosed = true
    this.#answers = null
    this.#first = this.#last = null
  }

  /** One frame needs no cork, and it is what nearly every flush is about. */
  #write(): void {
    if (this.#answers === null && this.#first === this.#last) {
      this.#writeFrames()
      return
    }
    if (!writeTogether(this, this.#sink)) this.block()
  }

  /** What is written together. */
  writeSlice(): void {
    if (this.#writeAnswers()) this.#writeFrames()
  }

  /** Returns whether the socket takes more. */
  #writeAnswers(): boolean {
    if (this.#answers === null) return true
    let taken = 0
    let result: WriteResult = 'sent'
    for (const answer of this.#answers) {
      result = this.#sink.writeAnswer(answer)
      if (result !== 'refused') taken++
      if (result !== 'sent') break
    }
    this.#answers = taken === this.#answers.length ? null : this.#answers.slice(taken)
    if (result !== 'sent') this.block()
    return result === 'sent'
  }

  #writeFrames(): void {
    let left = SLICE_BYTES
    while (this.#first !== null && left > 0) {
      left -= this.#first.frameBytes
      const result = this.#first.write(this.#sink)
      if (result !== 'refused') this.#unlink(null, this.#first)
      if (result !== 'sent') {
        this.block()
        return
      }
    }
  }

  #unlink(before: OutboxSubscription | null, subscription: OutboxSubscription): void {
    if (before === null) this.#first = subscription.next
    else before.next = subscription.next
    if (this.#last === subscription) this.#last = before
    subscription.next = null
  }
}

/** Whose `writeSlice` runs inside `cork`: a function made once in place of one for each flush. */
let corked: Outbox | null = null
const writeCorked = () => corked?.writeSlice()

/** Returns whether all of it could leave. */
function writeTogether(outbox: Outbox, sink: Sink): boolean {
  corked = outbox
  const isClear = sink.cork(writeCorked)
  corked = null
  return isClear
}

/** One connection's interest in one token: at most one frame waits in it. */
export class OutboxSubscription implements Subscription {
  readonly token: Address
  /** Belongs to the outbox: the subscription that is owed a frame after this one. */
  next: OutboxSubscription | null = null
  readonly #outbox: Outbox
  readonly #stats: RealtimeStats
  #frame: Frame | null = null
  #isUpdate = false
  #newestSequence = -1
  #isEnded = false

  constructor(token: Address, outbox: Outbox, stats: RealtimeStats) {
    this.token = token
    this.#outbox = outbox
    this.#stats = stats
  }

  get transport(): Transport {
    return this.#outbox.transport
  }

  get lagging(): boolean {
    return this.#frame !== null && this.#outbox.isBlocked
  }

  /** Of the frame that waits; 0: none does. */
  get frameBytes(): number {
    return this.#frame?.webSocket.length ?? 0
  }

  subscribed(sequence: number | null): void {
    if (!this.#isEnded && this.transport === 'webSocket') this.#outbox.answer(encodeSubscribed(this.token, sequence))
  }

  snapshot(frame: Frame): void {
    this.#offer(frame, false)
  }

  update(frame: Frame): boolean {
    return this.#offer(frame, true)
  }

  /** Nothing is owed for it any more, and what is offered later is ignored. */
  end(): void {
    this.#isEnded = true
    this.#frame = null
    this.#outbox.disown(this)
  }

  /** Writes the waiting frame; it goes on waiting when it is refused. */
  write(sink: Sink): WriteResult {
    const frame = this.#frame
    if (frame === null) return 'sent'
    const result = sink.writeFrame(frame)
    if (result === 'refused') return result
    this.#frame = null
    this.#stats.delivered(frame, this.#isUpdate)
    return result
  }

  /** Returns whether it takes the place of another. */
  #offer(frame: Frame, isUpdate: boolean): boolean {
    if (frame.sequence <= this.#newestSequence || this.#isEnded) return false
    this.#newestSequence = frame.sequence
    const isFirst = this.#frame === null
    this.#frame = frame
    this.#isUpdate = isUpdate
    if (isFirst) this.#outbox.owe(this)
    else this.#stats.conflated()
    return !isFirst
  }
}
