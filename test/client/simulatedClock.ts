import type { ClientClock } from '#client/options.ts'

interface Timer {
  readonly atMs: number
  readonly run: () => void
}

/** A clock that moves only when the test advances it. */
export class SimulatedClock implements ClientClock {
  #nowMs = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return this.#nowMs
  }

  /** Number of waiting timers. */
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

  /** Simulates a suspended machine: time passes and no timer runs. Due timers run with the next `advance`. */
  suspend(ms: number): void {
    this.#nowMs += ms
  }

  /** Advances the time, and runs due timers and what follows from them. */
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

/** Waits for promises and streams that settle without time passing. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
}
