import { setTimeout as delay } from 'node:timers/promises'

/** Time as the chain access and the indexer use it, so that tests need not wait. */
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
  // Not Date.now(): when the machine's clock is set back, time-outs and back-offs would last for hours.
  nowMs: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal })
  },
}
