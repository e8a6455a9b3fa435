import type { Transport } from '#actors/subscription.ts'
import type { Sink, WriteResult } from './sink.ts'

/** What stands in an outbox's queue: a subscription that has something to write. */
export interface Queued {
  /** Owned by the outbox: the next one in the queue. */
  next: Queued | null
  /** Size of the message that it writes next; 0: it has none. */
  readonly frameBytes: number
  /** Writes one message. A refused one stays. */
  write(sink: Sink): WriteResult
}

/** The outbox, whose own type would be a circular import. */
export interface FrameQueue {
  readonly transport: Transport
  readonly isBlocked: boolean
  answer(text: string): void
  /** Adds a subscription that has something to write. It must not be in the queue already. */
  enqueue(queued: Queued): void
  dequeue(queued: Queued): void
}
