import type { ClientClock } from '#client/options.ts'

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** Time that passes only when it is told to. */
export class SimulatedClock implements ClientClock {
  #nowMs = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#nowMs
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#timers.size
  }

  setTimeout(run: () => void, ms: number): Timer {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run }
    this.#timers.add(timer)
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer)
  }

  /** The machine sleeps: time passes and nothing happens. What was due meanwhile happens with the next `advance`. */
  suspend(ms: number): void {
    this.#nowMs += ms
  }

  /** Lets time pass, with everything that happens in it and what follows from that. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    await settle()
    for (;;) {
      let next: Timer | null = null
      for (const timer of this.#timers) if (timer.atMs <= untilMs && (next === null || timer.atMs < next.atMs)) next = timer
      if (next === null) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.run()
      await settle()
    }
    this.#nowMs = untilMs
  }
}

/** Everything that follows without time passing: promises, and streams of promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
}
