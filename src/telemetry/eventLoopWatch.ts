import type { Logger } from 'pino'

/** How often the loop is looked at, and so the most that a stall goes unnoticed by. */
const LOOK_EVERY_MS = 250

/** A delay from which on clients notice, and which no work of a healthy service causes. */
const STALL_MS = 500

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
}

export interface EventLoopWatch {
  state(): EventLoopState
  stop(): void
}

/**
 * Notices when the event loop stands still: a timer comes late by as much as something else kept the loop. Each stall is logged when it is over.
 * What share of the time the loop is busy is in Node's own metrics (`nodejs_eventloop_lag_*`).
 */
export function watchEventLoop({ logger, now, thread, repeat = interval }: EventLoopWatchOptions): EventLoopWatch {
  let dueAtMs = now() + LOOK_EVERY_MS
  let stallsTotal = 0
  let longestStallMs = 0
  const stop = repeat(LOOK_EVERY_MS, () => {
    const lateMs = now() - dueAtMs
    dueAtMs = now() + LOOK_EVERY_MS
    if (lateMs < STALL_MS) return
    stallsTotal++
    longestStallMs = Math.max(longestStallMs, lateMs)
    logger.warn({ thread, delayMs: Math.round(lateMs) }, 'the event loop stood still')
  })
  return { state: () => ({ stallsTotal, longestStallMs }), stop }
}

function interval(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
