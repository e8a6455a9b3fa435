import type { Clock } from '#chain/clock.ts'

export interface ManualClock extends Clock {
  /** Everything that was slept so far, in milliseconds. */
  readonly slept: number[]
  advance(ms: number): void
}

/** A clock that stands until it is advanced; whoever sleeps on it wakes at once, that much later. */
export function createManualClock(startMs = 1_000_000): ManualClock {
  let now = startMs
  const slept: number[] = []
  return {
    slept,
    nowMs: () => now,
    advance: ms => {
      now += ms
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      now += ms
    },
  }
}
