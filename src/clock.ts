import { setTimeout as delay } from 'node:timers/promises'

/** The clock of chain access and indexing. Tests replace it. */
export interface Clock {
  /** For durations: milliseconds since the epoch, by the clock at the start. Never goes back; stands while the machine is suspended. */
  nowMs(): number
  /** For comparisons with times of others: milliseconds since the epoch, by the clock as it is now. */
  epochMs(): number
  /** @throws the signal's reason when it aborts first */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  // Not Date.now(): timeouts and back-offs would last for hours when the machine's clock is set back.
  nowMs: () => performance.timeOrigin + performance.now(),
  epochMs: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  },
}

/** Milliseconds since the process began, the same in all threads: `performance.now()` starts anew in each. Monotonic. */
export function monotonicMs(): number {
  return process.uptime() * 1_000
}
