import type { Logger } from 'pino'
import type { RealtimeStats } from './realtimeStats.ts'

/** Something that holds back what it is to write: an outbox. */
export interface Flushable {
  /** Writes some of it. Returns whether more could be written. */
  flushSlice(): boolean
}

export interface FlusherOptions {
  /** Runs a function once, after what runs now: `queueMicrotask`. */
  readonly schedule: (flush: () => void) => void
  readonly stats: RealtimeStats
  readonly logger: Logger
}

/**
 * Flushes the outboxes that something was put into, at the end of the tick. One that has more than a slice goes to the end of the line, so that a
 * client with many hot tokens delays each of the others by one slice at most.
 */
export class Flusher {
  readonly #options: FlusherOptions
  /** Filled while the other is flushed, then they change places. Neither is ever made smaller: nothing is allocated per tick. */
  #dirty: (Flushable | null)[] = []
  #flushing: (Flushable | null)[] = []
  #dirtyCount = 0
  #isScheduled = false
  readonly #flush = () => this.flush()

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  add(outbox: Flushable): void {
    this.#dirty[this.#dirtyCount++] = outbox
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.schedule(this.#flush)
  }

  flush(): void {
    this.#isScheduled = false
    const line = this.#dirty
    let count = this.#dirtyCount
    this.#dirty = this.#flushing
    this.#flushing = line
    this.#dirtyCount = 0
    this.#options.stats.batchBegins()
    for (let index = 0; index < count; index++) {
      const outbox = line[index]
      line[index] = null
      if (outbox && this.#flushSlice(outbox)) line[count++] = outbox
    }
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
