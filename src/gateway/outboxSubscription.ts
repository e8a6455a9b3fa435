import type { Subscription, Transport } from '#actors/subscription.ts'
import type { Frame } from '#actors/token/frame.ts'
import type { Address } from '#domain/address.ts'
import { encodeSubscribed } from '#protocol/encodeAnswer.ts'
import type { RealtimeStats } from './realtimeStats.ts'
import type { Sink, WriteResult } from './sink.ts'

/** The outbox, whose own type would be a circular import. */
export interface FrameQueue {
  readonly transport: Transport
  readonly isBlocked: boolean
  answer(text: string): void
  enqueue(subscription: OutboxSubscription): void
  dequeue(subscription: OutboxSubscription): void
}

/** One connection's interest in one token. At most one frame waits in it: a newer one replaces an older one. */
export class OutboxSubscription implements Subscription {
  readonly token: Address
  /** Owned by the outbox: the next subscription with a frame to write. */
  next: OutboxSubscription | null = null
  readonly #outbox: FrameQueue
  readonly #stats: RealtimeStats
  #frame: Frame | null = null
  #isUpdate = false
  #newestSequence = -1
  #isEnded = false

  constructor(token: Address, outbox: FrameQueue, stats: RealtimeStats) {
    this.token = token
    this.#outbox = outbox
    this.#stats = stats
  }

  get transport(): Transport {
    return this.#outbox.transport
  }

  get client(): object {
    return this.#outbox
  }

  get lagging(): boolean {
    return this.#frame !== null && this.#outbox.isBlocked
  }

  /** Size of the waiting frame; 0: none waits. */
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

  /** Drops the waiting frame and ignores later ones. */
  end(): void {
    this.#isEnded = true
    this.#frame = null
    this.#outbox.dequeue(this)
  }

  /** Writes the waiting frame. A refused frame stays. */
  write(sink: Sink): WriteResult {
    const frame = this.#frame
    if (frame === null) return 'sent'
    const result = sink.writeFrame(frame)
    if (result === 'refused') return result
    this.#frame = null
    this.#stats.delivered(frame, this.#isUpdate)
    return result
  }

  #offer(frame: Frame, isUpdate: boolean): boolean {
    if (frame.sequence <= this.#newestSequence || this.#isEnded) return false
    this.#newestSequence = frame.sequence
    const isFirst = this.#frame === null
    this.#frame = frame
    this.#isUpdate = isUpdate
    if (isFirst) this.#outbox.enqueue(this)
    else this.#stats.conflated()
    return !isFirst
  }
}
