import { setTimeout as pause } from 'node:timers/promises'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import type { ConnectionDeps } from './connections.ts'
import { EventStreams } from './eventStream.ts'
import { Flusher } from './flusher.ts'
import { RealtimeStats } from './realtimeStats.ts'
import type { OpenEventStream, RealtimeView, RegisterWebSocket } from './subscriptionPorts.ts'
import { WebSockets } from './webSocket.ts'

const SWEEP_INTERVAL_MS = 1_000

export interface RealtimeOptions extends Omit<ConnectionDeps, 'flusher' | 'stats'> {
  /** How long `close` waits for slow readers to take what is owed to them. Default 3,000. */
  readonly closeTimeoutMs?: number
  /** How long `close` then leaves to the last close frames to arrive. Default 250. */
  readonly lingerMs?: number
  /** Runs a function at the end of the tick. Default `queueMicrotask`. */
  readonly schedule?: (flush: () => void) => void
  /** Runs a function after what waits for the event loop. Default `setImmediate`. */
  readonly yieldTo?: (flush: () => void) => void
  /** Runs a function again and again until the returned one is called. Default `setInterval`, which does not keep the process alive. */
  readonly repeat?: (everyMs: number, run: () => void) => () => void
}

/** WebSockets and event streams, fed by the actors. */
export interface Realtime extends RealtimeView {
  readonly registerWebSocket: RegisterWebSocket
  readonly openEventStream: OpenEventStream
  /** Counters for metrics. */
  readonly stats: RealtimeStats
  /** Times from a commit's completion to the write of its update to a socket, since the start. */
  commitToDelivery(): LatencySnapshot
  /** Refuses new connections, writes what is owed and closes all with 1012. Bounded in time. */
  close(): Promise<void>
}

/** Builds it. One timer, which runs until `close`, pings and comments what is silent and closes what does not answer. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const {
    now,
    logger,
    closeTimeoutMs = 3_000,
    lingerMs = 250,
    schedule = queueMicrotask,
    yieldTo = setImmediate,
    repeat = interval,
  } = options
  const stats = new RealtimeStats(now)
  const deps: ConnectionDeps = { ...options, stats, flusher: new Flusher({ schedule, yieldTo, now, stats, logger }) }
  const webSockets = new WebSockets(deps)
  const eventStreams = new EventStreams(deps)
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => {
    const nowMs = now()
    webSockets.sweep(nowMs)
    eventStreams.sweep(nowMs)
  })

  async function close(): Promise<void> {
    const waiting = new AbortController()
    // Resolved by its time, or by the abort once everybody is gone.
    const deadline = pause(closeTimeoutMs, undefined, { signal: waiting.signal }).catch(() => {})
    const open = stats.webSocketConnections + stats.eventStreams
    await Promise.all([webSockets.close(deadline), eventStreams.close(deadline)])
    waiting.abort()
    stopSweeping()
    if (open > 0) await pause(lingerMs)
  }

  return {
    stats,
    registerWebSocket: (app, pathPrefix) => webSockets.register(app, pathPrefix),
    openEventStream: async request => eventStreams.open(request),
    realtime: () => stats.health(),
    commitToDelivery: () => stats.commitToDelivery(),
    close,
  }
}

function interval(everyMs: number, run: () => void): () => void {
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
