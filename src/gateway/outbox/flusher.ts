import type { Logger } from 'pino'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'

export interface Flushable {
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
