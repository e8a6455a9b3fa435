import type { Transport } from '#actors/subscription.ts'
import type { Sink, WriteResult } from './sink.ts'

/** An entry of an outbox's queue: a subscription that has something to write. */
export interface Queued {
  /** The next one in the queue, which only the outbox sets. */
  next: Queued | null
  /** The size of the next message; 0: there is none. */
  readonly frameBytes: number
  /** Writes one message. A refused message stays. */
  write(sink: Sink): WriteResult
}

/** The part of an outbox that subscriptions use. Its own type would be a circular import. */
export interface FrameQueue {
  readonly transport: Transport
  readonly isBlocked: boolean
  answer(text: string): void
  /** Adds a subscription that has something to write. It must not be in the queue already. */
  enqueue(queued: Queued): void
  dequeue(queued: Queued): void
}
