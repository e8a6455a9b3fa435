import type { Logger } from 'pino'
import type { RealtimeStats } from './realtimeStats.ts'

/** Something that holds back what it is to write: an outbox. */
export interface Flushable {
  /** Belongs to the flusher: who stands behind it in the line; `null`: nobody, `undefined`: it does not stand in it. */
  behind: Flushable | null | undefined
  /** Writes some of it, which takes 100 µs at most. Returns whether more could be written. */
  flushSlice(): boolean
}

export interface FlusherOptions {
  /** Runs a function once, after what runs now: `queueMicrotask`. */
  readonly schedule: (flush: () => void) => void
  /** Runs a function once, after what waits for the event loop: `setImmediate`. */
  readonly yieldTo: (flush: () => void) => void
  /** Monotonic, in ms. */
  readonly now: () => number
  readonly stats: RealtimeStats
  readonly logger: Logger
}

/** How long a flush may keep the event loop, in ms: requests, pings and the next commit wait for so long. */
const TURN_MS = 5

const SLICES_PER_READING = 8

/**
 * Flushes the outboxes that something was put into, at the end of the tick, and what takes longer in turns, between which the event loop does
 * everything else. They stand in one line: who has more than a slice goes to its end, so that a client with many hot tokens delays each of the
 * others by one slice at most. What is put into an outbox that stands in line is written when it is its turn.
 */
export class Flusher {
  readonly #options: FlusherOptions
  /** A list through `Flushable.behind`, so that a tick allocates nothing. */
  #first: Flushable | null = null
  #last: Flushable | null = null
  #isScheduled = false
  readonly #flush = () => this.flush()

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  add(outbox: Flushable): void {
    if (outbox.behind !== undefined) return
    outbox.behind = null
    if (this.#last === null) this.#first = outbox
    else this.#last.behind = outbox
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
      if (slices % SLICES_PER_READING === 0 && this.#first !== null && now() >= endsAtMs) {
        yieldTo(this.#flush)
        return
      }
    }
    this.#isScheduled = false
  }

  #takeFirst(outbox: Flushable): Flushable {
    this.#first = outbox.behind ?? null
    if (this.#first === null) this.#last = null
    outbox.behind = undefined
    return outbox
  }

  #flushSlice(outbox: Flushable): boolean {
    try {
      return outbox.flushSlice()
    } catch (err) {
      // A defect in one connection must not cost the others their update.
      this.#options.logger.error({ err }, 'an outbox could not be flushed')
      return false
    }
  }
}
