import type { Logger } from 'pino'
import type { RealtimeStats } from './realtimeStats.ts'

/** Something that holds back what it is to write: an outbox. */
export interface Flushable {
  flush(): void
}

export interface FlusherOptions {
  /** Runs a function once, after what runs now: `queueMicrotask`. */
  readonly schedule: (flush: () => void) => void
  readonly stats: RealtimeStats
  readonly logger: Logger
}

/** Flushes the outboxes that something was put into, each once, at the end of the tick. */
export class Flusher {
  readonly #options: FlusherOptions
  #dirty: Flushable[] = []
  /** Filled by what is put in while the other is flushed, then they change places: no array is made per tick. */
  #next: Flushable[] = []
  #isScheduled = false
  readonly #flush = () => this.flush()

  constructor(options: FlusherOptions) {
    this.#options = options
  }

  add(outbox: Flushable): void {
    this.#dirty.push(outbox)
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.schedule(this.#flush)
  }

  flush(): void {
    this.#isScheduled = false
    const batch = this.#dirty
    this.#dirty = this.#next
    this.#options.stats.batchBegins()
    for (const outbox of batch) {
      try {
        outbox.flush()
      } catch (err) {
        // A defect in one connection must not cost the others their update.
        this.#options.logger.error({ err }, 'an outbox could not be flushed')
      }
    }
    batch.length = 0
    this.#next = batch
  }
}
