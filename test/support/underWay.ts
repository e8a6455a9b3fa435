import { setImmediate as nextTurn } from 'node:timers/promises'

/** Counts unanswered requests, so that a simulation waits no longer than necessary. */
export interface UnderWay {
  during<T>(work: Promise<T>): Promise<T>
  /** Resolves once no request has been unanswered for a few turns of the event loop, or after that real time. */
  quiet(maxMs: number): Promise<void>
}

/** A few turns pass between an answer and the next request. */
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
    quiet: async maxMs => {
      const deadline = performance.now() + maxMs
      let turns = 0
      while (turns < QUIET_TURNS && performance.now() < deadline) {
        turns = count > 0 ? 0 : turns + 1
        await (count > 0 ? endedWithin(deadline - performance.now()) : nextTurn())
      }
    },
  }
}
