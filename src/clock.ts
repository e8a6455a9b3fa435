import { setTimeout as delay } from 'node:timers/promises'

/** The clock of chain access and indexing. Tests replace it. */
export interface Clock {
  /** Milliseconds since the epoch; never goes back. */
  nowMs(): number
  /**
   * Resolves after that many milliseconds.
   *
   * @throws the signal's reason when it aborts first
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  // Not Date.now(): timeouts and back-offs would last for hours when the machine's clock is set back.
  nowMs: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  },
}
