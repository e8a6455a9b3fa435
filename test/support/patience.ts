import { readFileSync } from 'node:fs'
import { inject } from 'vitest'

/** What patience is measured with. */
export interface Machine {
  readonly nowMs: () => number
  /** For how long, since its start, something on the machine waited for a processor or a disk. `null`: the kernel does not say. */
  readonly stalledMs: () => number | null
}

/** How long a test waits for one thing. */
export interface Patience {
  readonly isOver: () => boolean
  /** What the work gives. @throws when patience is over first. */
  readonly within: <T>(work: Promise<T>) => Promise<T>
}

/** However busy the machine is. */
const AT_MOST_MS = 300_000
/** Where the kernel does not tell how busy the machine is, it is taken to be this many times as slow as a quiet one. */
const ASSUMED_SLOWNESS = 6
const LOOK_EVERY_MS = 100
/** Tests may replace the global ones. */
const { setInterval, clearInterval } = globalThis

/**
 * Patience that lasts for the given time on a quiet machine. Time in which something waited for a processor or a disk does not count, so a
 * busy machine makes a test slower and does not make it fail.
 */
export function startPatience(quietMs: number = inject('patienceMs'), machine: Machine = MACHINE): Patience {
  const startedMs = machine.nowMs()
  const stalledBefore = machine.stalledMs()
  const isOver = () => {
    const passedMs = machine.nowMs() - startedMs
    if (passedMs < quietMs || passedMs >= AT_MOST_MS) return passedMs >= quietMs
    const stalledMs = machine.stalledMs()
    if (stalledMs === null || stalledBefore === null) return passedMs >= quietMs * ASSUMED_SLOWNESS
    return passedMs - (stalledMs - stalledBefore) >= quietMs
  }
  return {
    isOver,
    within: async work => {
      const { promise: over, reject } = Promise.withResolvers<never>()
      const look = () => {
        if (isOver()) reject(new Error(`no result after ${quietMs} ms on a quiet machine`))
      }
      const timer = setInterval(look, LOOK_EVERY_MS)
      try {
        return await Promise.race([work, over])
      } finally {
        clearInterval(timer)
      }
    },
  }
}

/** Linux tells it as "pressure stall information", in microseconds. */
const MACHINE: Machine = {
  nowMs: () => performance.now(),
  stalledMs: () => {
    try {
      return pressureMs('cpu') + pressureMs('io')
    } catch {
      return null
    }
  },
}

function pressureMs(resource: 'cpu' | 'io'): number {
  const [, total] = /^some .*total=(\d+)$/m.exec(readFileSync(`/proc/pressure/${resource}`, 'latin1')) ?? []
  if (total === undefined) throw new Error(`the pressure of ${resource} has no total`)
  return Number(total) / 1_000
}
