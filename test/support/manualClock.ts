import type { Clock } from '#clock'

export interface ManualClock extends Clock {
  /** Everything that was slept so far, in milliseconds. */
  readonly slept: number[]
  advance(ms: number): void
  /** Lets a wait be over, that much later. */
  wait(ms: number): void
  /** How long was waited in all. */
  waitedMs(): number
}

/** A clock that stands until it is advanced; whoever sleeps on it wakes at once, that much later. */
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
