import { setTimeout as delay } from 'node:timers/promises'

/** The clock of chain access and indexing. Tests replace it. */
export interface Clock {
  /** Milliseconds since the epoch; never goes back. */
  nowMs(): number
  /** @throws the signal's reason when it aborts first */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  // Not Date.now(): timeouts and back-offs would last for hours when the machine's clock is set back.
  nowMs: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  },
}

/** Milliseconds since the process began, the same in all threads: `performance.now()` starts anew in each. Monotonic. */
export function monotonicMs(): number {
  return process.uptime() * 1_000
}
