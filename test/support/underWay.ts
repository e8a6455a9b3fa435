import { setImmediate as nextTurn } from 'node:timers/promises'

/** Knows whether anything is under way, so that whoever drives a simulation waits no longer than there is something to wait for. */
export interface UnderWay {
  during<T>(work: Promise<T>): Promise<T>
  /** Resolves once nothing has been under way for a few turns of the event loop, or when that much real time has passed. */
  quiet(mostMs: number): Promise<void>
}

/** Between an answer and the next question lie a few turns. */
const QUIET_TURNS = 4

export function createUnderWay(): UnderWay {
  let count = 0
  let ended = Promise.withResolvers<void>()
  const endedWithin = async (ms: number) => {
    const over = Promise.withResolvers<void>()
    const timer = setTimeout(over.resolve, ms)
    await Promise.race([ended.promise, over.promise])
    clearTimeout(timer)
  }
  return {
    during: async work => {
      count++
      try {
        return await work
      } finally {
        count--
        if (count === 0) {
          ended.resolve()
          ended = Promise.withResolvers()
        }
      }
    },
    quiet: async mostMs => {
      const deadline = performance.now() + mostMs
      let turns = 0
      while (turns < QUIET_TURNS && performance.now() < deadline) {
        turns = count > 0 ? 0 : turns + 1
        await (count > 0 ? endedWithin(deadline - performance.now()) : nextTurn())
      }
    },
  }
}
