import type { Logger } from 'pino'
import type { Transport } from '#actors/subscription.ts'
import type { Address } from '#domain/address.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { type FrameQueue, OutboxSubscription, type PacingQueue, type Queued, type Sink, type WriteResult } from './outboxSubscription.ts'
import { PacedQueue } from './pacedQueue.ts'

/** How much is written before the next connection's turn: eight updates of the largest size, in some 100 µs. */
const SLICE_BYTES = 131_072

/** The most answers that wait for a slow reader: five times as many as a client with all of its subscriptions needs at once. */
const MAX_WAITING_ANSWERS = 1_024

/**
 * The unsent messages of one connection: its answers in order, the newest frame of each subscribed token, and the waiting messages of its
 * subscriptions to channels. Frames of one tick are written together at its end. While the socket is full, nothing is written, and newer
 * frames replace older ones: a slow reader costs a bounded amount of memory, and gets the newest state of each token when it reads again.
 *
 * Answers are written before frames, so that a client gets `subscribed` before the snapshot. Because unsubscribing drops the token's frame,
 * it gets no frame after `unsubscribed`.
 */
export class Outbox implements Flushable, PacingQueue {
  nextToFlush: Flushable | null | undefined = undefined
  readonly minIntervalMs = 0
  readonly #sink: Sink
  readonly #flusher: Flusher
  readonly #stats: RealtimeStats
  readonly #now: () => number
  /** The waiting answers; `null`: there are none, as nearly always. An emptied array would keep its capacity. */
  #answers: string[] | null = null
  /** The queue, in order of arrival. It is linked by `Queued.next`, so that enqueuing allocates nothing. */
  #first: Queued | null = null
  #last: Queued | null = null
  #isClosed = false
  #stuckSinceMs: number | null = null

  constructor(sink: Sink, flusher: Flusher, stats: RealtimeStats, now: () => number) {
    this.#sink = sink
    this.#flusher = flusher
    this.#stats = stats
    this.#now = now
  }

  get transport(): Transport {
    return this.#sink.transport
  }

  get connection(): object {
    return this
  }

  /** Since when the socket has been full without the client reading anything, monotonic ms; `null`: it is not full. */
  get stuckSinceMs(): number | null {
    return this.#stuckSinceMs
  }

  get isBlocked(): boolean {
    return this.#stuckSinceMs !== null
  }

  get isEmpty(): boolean {
    return this.#answers === null && this.#first === null
  }

  subscription(token: Address): OutboxSubscription {
    return new OutboxSubscription(token, this, this.#stats)
  }

  paced(minIntervalMs: number): FrameQueue {
    return minIntervalMs === 0 ? this : new PacedQueue(this, minIntervalMs, this.#now)
  }

  answer(text: string): void {
    if (this.#isClosed) return
    this.#answers ??= []
    this.#answers.push(text)
    this.#flusher.add(this)
  }

  enqueue(queued: Queued): void {
    if (this.#isClosed) return
    this.#link(queued)
    this.#flusher.add(this)
  }

  dequeue(queued: Queued): void {
    let before: Queued | null = null
    for (let one = this.#first; one !== null; before = one, one = one.next) {
      if (one === queued) {
        this.#unlink(before, one)
        return
      }
    }
  }

  flush(): void {
    while (this.flushSlice());
  }

  /** Writes what one turn may write. Returns whether there is more and the socket is not full. */
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

  /** To be called when the kernel has taken some buffered data, so the client reads. */
  progress(): void {
    if (this.isBlocked) this.#stuckSinceMs = this.#now()
  }

  /** To be called when a write that bypassed the outbox found the socket full. */
  block(): void {
    this.#stuckSinceMs ??= this.#now()
  }

  /** To be called when the socket has drained. Returns whether there was anything to write. */
  resume(): boolean {
    this.#stuckSinceMs = null
    const wasEmpty = this.isEmpty
    if (this.flushSlice()) this.#flusher.add(this)
    return !wasEmpty
  }

  close(): void {
    this.#isClosed = true
    this.#answers = null
    this.#first = this.#last = null
  }

  /** Writes a slice, corked unless it is one frame, as in nearly every flush. */
  #write(): void {
    if (this.#answers === null && this.#first === this.#last) {
      this.#writeFrames()
      return
    }
    if (!writeTogether(this, this.#sink)) this.block()
  }

  /** Does the writes inside a cork. */
  writeSlice(): void {
    if (this.#writeAnswers()) this.#writeFrames()
  }

  /** Writes the answers. Returns whether the socket is not full. */
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
      const queued = this.#first
      left -= queued.frameBytes
      const result = queued.write(this.#sink)
      if (result !== 'refused') {
        this.#unlink(null, queued)
        // The others get their turn before its next message.
        if (queued.frameBytes > 0) this.#link(queued)
      }
      if (result !== 'sent') {
        this.block()
        return
      }
    }
  }

  #link(queued: Queued): void {
    if (this.#last === null) this.#first = queued
    else this.#last.next = queued
    this.#last = queued
  }

  #unlink(before: Queued | null, queued: Queued): void {
    if (before === null) this.#first = queued.next
    else before.next = queued.next
    if (this.#last === queued) this.#last = before
    queued.next = null
  }
}

/** The outbox whose `writeSlice` runs inside `cork`, so that all flushes share one function instead of a closure for each. */
let corked: Outbox | null = null
const writeCorked = () => corked?.writeSlice()

/** Writes a slice inside a cork. Returns whether nothing is left in a buffer. */
function writeTogether(outbox: Outbox, sink: Sink): boolean {
  corked = outbox
  const isClear = sink.cork(writeCorked)
  corked = null
  return isClear
}

interface Flushable {
  /** The next one in the flusher's queue, which only the flusher sets; `null`: it is the last one; `undefined`: it is not queued. */
  nextToFlush: Flushable | null | undefined
  /** Writes for 100 µs at most. Returns whether there is more to write. */
  flushSlice(): boolean
}

export interface FlusherOptions {
  /** Runs a function at the end of the tick: `queueMicrotask`. */
  readonly schedule: (flush: () => void) => void
  /** Runs a function after the pending work of the event loop: `setImmediate`. */
  readonly yieldTo: (flush: () => void) => void
  readonly now: () => number
  readonly stats: RealtimeStats
  readonly logger: Logger
}

/** How long a flush may occupy the event loop. Requests, pings and the next commit wait meanwhile. */
const TURN_MS = 5

const SLICES_PER_CLOCK_READING = 8

/**
 * Flushes outboxes at the end of the tick in which they got something to write. A longer flush continues in turns, between which the event
 * loop does its other work. The outboxes form one queue; one with more than a slice to write rejoins it at the end, so that a client with
 * many hot tokens delays each other client by one slice at most.
 */
export class Flusher {
  readonly #options: FlusherOptions
  /** The queue, which is linked by `Flushable.nextToFlush`, so that a tick allocates nothing. */
  #first: Flushable | null = null
  #last: Flushable | null = null
  #isScheduled = false
  readonly #flush = () => this.flush()

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  add(outbox: Flushable): void {
    if (outbox.nextToFlush !== undefined) return
    outbox.nextToFlush = null
    if (this.#last === null) this.#first = outbox
    else this.#last.nextToFlush = outbox
    this.#last = outbox
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.schedule(this.#flush)
  }

  flush(): void {
    const { now, stats, yieldTo } = this.#options
    stats.batchBegins()
    const endsAtMs = now() + TURN_MS
    for (let slices = 1; this.#first !== null; slices++) {
      const outbox = this.#takeFirst(this.#first)
      if (this.#flushSlice(outbox)) this.add(outbox)
      if (slices % SLICES_PER_CLOCK_READING === 0 && this.#first !== null && now() >= endsAtMs) {
        yieldTo(this.#flush)
        return
      }
    }
    this.#isScheduled = false
  }

  #takeFirst(outbox: Flushable): Flushable {
    this.#first = outbox.nextToFlush ?? null
    if (this.#first === null) this.#last = null
    outbox.nextToFlush = undefined
    return outbox
  }

  #flushSlice(outbox: Flushable): boolean {
    try {
      return outbox.flushSlice()
    } catch (err) {
      // A defect in one connection must not keep the others from getting the update.
      this.#options.logger.error({ err }, 'an outbox could not be flushed')
      return false
    }
  }
}
