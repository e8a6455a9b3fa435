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
      let timer: NodeJS.Timeout | undefined
      let over = false
      const timeout = new Promise<void>(resolve => {
        timer = setTimeout(() => {
          over = true
          resolve()
        }, mostMs)
      })
      for (let turns = 0; turns < QUIET_TURNS && !over; turns++) {
        if (count > 0) {
          turns = -1
          await Promise.race([ended.promise, timeout])
        } else await nextTurn()
      }
      clearTimeout(timer)
    },
  }
}
