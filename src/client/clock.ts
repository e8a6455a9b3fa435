import type { Clock } from './options.ts'

/** The platform's. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

/** Timers that can be ended all at once. */
export class Timers {
  readonly #clock: Clock
  readonly #running = new Set<unknown>()
  #isStopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  /** Runs once after so many ms. Returns how to prevent that; harmless when it has run. */
  after(ms: number, run: () => void): () => void {
    if (this.#isStopped) return () => {}
    const timer = this.#clock.setTimeout(() => {
      this.#running.delete(timer)
      run()
    }, ms)
    this.#running.add(timer)
    return () => {
      this.#running.delete(timer)
      this.#clock.clearTimeout(timer)
    }
  }

  /** None runs any more, also none that is begun later. */
  stop(): void {
    this.#isStopped = true
    for (const timer of this.#running) this.#clock.clearTimeout(timer)
    this.#running.clear()
  }
}
