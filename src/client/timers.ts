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

/**
 * The pause in ms after `failures` failures in a row: random, up to a bound that doubles with each of them ("full jitter"), so that clients
 * that lost the same server do not reconnect all at once.
 */
export function backoffMs(failures: number, random: () => number, baseMs = 500, capMs = 30_000): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 16))
}

const MAX_POLL_MS = 60_000

/**
 * The pause until the next request: the period, doubled with each failure in a row up to a minute. Up to a quarter shorter or longer, so
 * that clients which started together drift apart.
 */
export function pollMs(periodMs: number, random: () => number, failures = 0): number {
  return Math.min(periodMs * 2 ** failures, MAX_POLL_MS) * (0.75 + random() / 2)
}
