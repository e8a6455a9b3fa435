import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Logger } from 'pino'

/** How often the loop is looked at, and so the most that a stall goes unnoticed by. */
const LOOK_EVERY_MS = 250

/** A delay from which on clients notice, and which no work of a healthy service causes. */
const STALL_MS = 500

const RESOLUTION_MS = 10
/** Looks over which the delay is told: ten seconds. */
const LOOKS_PER_WINDOW = 40

export interface EventLoopWatchOptions {
  readonly logger: Logger
  /** Monotonic, in ms. */
  readonly now: () => number
  /** Whose loop it is, for the log. */
  readonly thread: string
  /** Runs a function again and again until the returned one is called. Default `setInterval`, which does not keep the process alive. */
  readonly repeat?: (everyMs: number, run: () => void) => () => void
}

export interface EventLoopState {
  /** Times since the start that the event loop did nothing else for half a second or longer. */
  readonly stallsTotal: number
  /** The longest of them, ms; 0: none. */
  readonly longestStallMs: number
  /** The delay that one in a hundred timers had lately, over ten to twenty seconds, ms. */
  readonly delayP99Ms: number
}

export interface EventLoopWatch {
  state(): EventLoopState
  stop(): void
}

/**
 * Notices when the event loop stands still: a timer comes late by as much as something else kept the loop. Each stall is logged when it is over.
 * Shorter delays are in `delayP99Ms`: Node's own metrics (`nodejs_eventloop_lag_*`) know the main thread alone.
 */
export function watchEventLoop({ logger, now, thread, repeat = interval }: EventLoopWatchOptions): EventLoopWatch {
  let dueAtMs = now() + LOOK_EVERY_MS
  let stallsTotal = 0
  let longestStallMs = 0
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  /** Of the window before this one. */
  let earlierP99Ms = 0
  let looks = 0
  // A timer that is on time counts as late by its own interval; before the first one there is nothing to tell.
  const currentP99Ms = () => (delays.count === 0 ? 0 : Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS))
  const stop = repeat(LOOK_EVERY_MS, () => {
    if (++looks % LOOKS_PER_WINDOW === 0) {
      earlierP99Ms = currentP99Ms()
      delays.reset()
    }
    const lateMs = now() - dueAtMs
    dueAtMs = now() + LOOK_EVERY_MS
    if (lateMs < STALL_MS) return
    stallsTotal++
    longestStallMs = Math.max(longestStallMs, lateMs)
    logger.warn({ thread, delayMs: Math.round(lateMs) }, 'the event loop stood still')
  })
  return {
    state: () => ({ stallsTotal, longestStallMs, delayP99Ms: Math.max(earlierP99Ms, currentP99Ms()) }),
    stop: () => {
      delays.disable()
      stop()
    },
  }
}

function interval(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
