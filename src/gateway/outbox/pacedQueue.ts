import type { Transport } from '#actors/subscription.ts'
import type { FrameQueue, Queued, Sink, WriteResult } from './outboxSubscription.ts'

/**
 * The queue of one subscription whose client asked for a least time between messages (`minIntervalMs`). What waits is written once the time
 * has passed since the last write. Newer states replace the waiting one meanwhile, as for a slow reader; the messages of a channel of
 * events are written together, in order.
 */
export class PacedQueue implements FrameQueue, Queued {
  next: Queued | null = null
  readonly minIntervalMs: number
  readonly #outbox: FrameQueue
  readonly #now: () => number
  #queued: Queued | null = null
  #timer: NodeJS.Timeout | null = null
  #notBeforeMs = 0

  /** @param now monotonic milliseconds */
  constructor(outbox: FrameQueue, minIntervalMs: number, now: () => number) {
    this.minIntervalMs = minIntervalMs
    this.#outbox = outbox
    this.#now = now
  }

  get transport(): Transport {
    return this.#outbox.transport
  }

  get connection(): object {
    return this.#outbox.connection
  }

  get isBlocked(): boolean {
    return this.#outbox.isBlocked
  }

  get frameBytes(): number {
    return this.#queued?.frameBytes ?? 0
  }

  answer(text: string): void {
    this.#outbox.answer(text)
  }

  enqueue(queued: Queued): void {
    this.#queued = queued
    const waitMs = this.#notBeforeMs - this.#now()
    if (waitMs <= 0) this.#outbox.enqueue(this)
    else {
      this.#timer = setTimeout(() => {
        this.#timer = null
        this.#outbox.enqueue(this)
      }, waitMs)
    }
  }

  dequeue(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#queued = null
    this.#outbox.dequeue(this)
  }

  write(sink: Sink): WriteResult {
    const result = this.#queued?.write(sink) ?? 'sent'
    if (result !== 'refused') this.#notBeforeMs = this.#now() + this.minIntervalMs
    return result
  }
}
