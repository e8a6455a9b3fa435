import type { Clock } from '#clock'

export interface ManualClock extends Clock {
  /** All sleeps so far, in milliseconds. */
  readonly slept: number[]
  advance(ms: number): void
  /** Moves the clock forward by that time. */
  wait(ms: number): void
  /** The sum of all waits. */
  waitedMs(): number
}

/** A clock that stands until it is advanced. A sleep on it ends at once and advances it. */
export function createManualClock(startMs = 1_000_000): ManualClock {
  let now = startMs
  let waited = 0
  const wait = (ms: number) => {
    now += ms
    waited += ms
  }
  const slept: number[] = []
  return {
    slept,
    nowMs: () => now,
    epochMs: () => now,
    advance: ms => {
      now += ms
    },
    wait,
    waitedMs: () => waited,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      wait(ms)
    },
  }
}
