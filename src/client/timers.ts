import type { AbortSignalLike } from './ending.ts'
import type { ClientClock } from './options.ts'

export const platformClock: ClientClock = {
  now: () => performance.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: timer => clearTimeout(timer as ReturnType<typeof setTimeout>),
}

export interface Timers {
  now(): number
  /** Runs once after `ms`. Returns a function that cancels the run. */
  after(ms: number, run: () => void): () => void
}

/** @param closed - cancels all runs, also those requested later */
export function createTimers(clock: ClientClock, closed: AbortSignalLike): Timers {
  const running = new Set<unknown>()
  closed.addEventListener('abort', () => {
    for (const timer of running) clock.clearTimeout(timer)
  })
  return {
    now: () => clock.now(),
    after(ms, run) {
      if (closed.aborted) return () => {}
      const timer = clock.setTimeout(() => {
        running.delete(timer)
        run()
      }, ms)
      running.add(timer)
      return () => {
        running.delete(timer)
        clock.clearTimeout(timer)
      }
    },
  }
}

/** A timer with at most one pending run: starting it again cancels the pending one. */
export class Timer {
  readonly #timers: Timers
  #cancel: (() => void) | null = null

  constructor(timers: Timers) {
    this.#timers = timers
  }

  get isRunning(): boolean {
    return this.#cancel !== null
  }

  start(ms: number, run: () => void): void {
    this.stop()
    this.#cancel = this.#timers.after(ms, () => {
      this.#cancel = null
      run()
    })
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }
}
