import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { repeat as repeatUnref } from '#async/pause.ts'

const CHECK_EVERY_MS = 250

/** A delay that clients notice and that no work of a healthy service causes. */
const STALL_MS = 500

const RESOLUTION_MS = 10
/** Checks per window of the delay's percentile: ten seconds. */
const CHECKS_PER_WINDOW = 40

export interface EventLoopWatchOptions {
  readonly logger: Logger
  readonly now: () => number
  readonly thread: string
  readonly repeat?: typeof repeatUnref
}

export interface EventLoopState {
  /** Stalls since the start: times that the event loop was blocked for half a second or longer. */
  readonly stallsTotal: number
  /** The longest stall in ms; 0: none. */
  readonly longestStallMs: number
  /** 99th percentile of the delay of timers over the last ten to twenty seconds, in ms. */
  readonly delayP99Ms: number
}

export interface EventLoopWatch {
  state(): EventLoopState
  stop(): void
}

/**
 * Detects when the thread's event loop is blocked: a timer is then late by the same time. Logs each stall when it is over. Shorter delays
 * show in `delayP99Ms`: Node's own metrics (`nodejs_eventloop_lag_*`) cover the main thread only.
 */
export function watchEventLoop({ logger, now, thread, repeat = repeatUnref }: EventLoopWatchOptions): EventLoopWatch {
  let dueAtMs = now() + CHECK_EVERY_MS
  let stallsTotal = 0
  let longestStallMs = 0
  let checks = 0
  let earlierWindowP99Ms = 0
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  // The percentile counts the timer's own interval, which is subtracted. Before the first timer there is no percentile.
  const currentP99Ms = () => (delays.count === 0 ? 0 : Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS))
  const stop = repeat(CHECK_EVERY_MS, () => {
    if (++checks % CHECKS_PER_WINDOW === 0) {
      earlierWindowP99Ms = currentP99Ms()
      delays.reset()
    }
    const lateMs = now() - dueAtMs
    dueAtMs = now() + CHECK_EVERY_MS
    if (lateMs < STALL_MS) return
    stallsTotal++
    longestStallMs = Math.max(longestStallMs, lateMs)
    logger.warn({ thread, delayMs: Math.round(lateMs) }, 'the event loop stood still')
  })
  return {
    state: () => ({ stallsTotal, longestStallMs, delayP99Ms: Math.max(earlierWindowP99Ms, currentP99Ms()) }),
    stop: () => {
      delays.disable()
      stop()
    },
  }
}
