import { setTimeout as pause } from 'node:timers/promises'
import { repeat as repeatUnref } from '#async/repeat.ts'
import { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { connectionRefused, type Problem } from '#gateway/http/problem.ts'
import { Flusher } from '#gateway/outbox/flusher.ts'
import type { TemplatedApp } from '#gateway/uWebSockets.ts'
import type { RealtimeHealth } from '#resources/health.ts'
import type { LatencySnapshot } from '#telemetry/latencyHistogram.ts'
import { type ConnectionDeps, createConnections, SHUTTING_DOWN } from './connections.ts'
import { EventStreamConnection, type EventStreamRequest } from './eventStreamConnection.ts'
import { registerWebSockets } from './webSockets.ts'

const SWEEP_INTERVAL_MS = 1_000

export interface RealtimeOptions extends Omit<ConnectionDeps, 'flusher' | 'stats'> {
  /** How long `close` waits for slow readers. Default 3,000. */
  readonly closeTimeoutMs?: number
  /** How long `close` then waits for the last close frames to arrive. Default 250. */
  readonly lingerMs?: number
  readonly yieldTo?: (flush: () => void) => void
  readonly repeat?: typeof repeatUnref
}

export interface Realtime {
  /** Adds the WebSocket routes to the app, and those below a path prefix if there is one. Call it before other routes are added. */
  register(app: TemplatedApp, pathPrefix: string): void
  /** Opens an event stream, which owns the response from then on. With a problem, nothing was written, and the caller answers with it. */
  openEventStream(request: EventStreamRequest): Problem | null
  report(): RealtimeHealth
  /** The times since the start from the completion of a commit to the write of its update to a socket. */
  commitToDelivery(): LatencySnapshot
  /**
   * Refuses new connections, writes the waiting messages and closes all connections: with 1012, or with the delay after which each client
   * should come back (`DRAIN_SECONDS`). Takes a bounded time.
   */
  close(): Promise<void>
}

/** Creates the realtime part with one timer, whose sweeps ping silent connections and close unresponsive ones until `close`. */
export function createRealtime(options: RealtimeOptions): Realtime {
  const { config, now, logger, admission, closeTimeoutMs = 3_000, lingerMs = 250, yieldTo = setImmediate, repeat = repeatUnref } = options
  const stats = new RealtimeStats(now)
  const deps: ConnectionDeps = { ...options, stats, flusher: new Flusher({ schedule: queueMicrotask, yieldTo, now, stats, logger }) }
  const connections = createConnections()
  const stopSweeping = repeat(SWEEP_INTERVAL_MS, () => connections.sweep(now()))

  return {
    register: (app, pathPrefix) => registerWebSockets(app, pathPrefix, deps, connections),
    openEventStream(request) {
      if (request.isAborted()) return null
      if (connections.isClosing) return SHUTTING_DOWN
      const admitted = admission.openConnection(request.client)
      if (admitted.kind === 'refused') return connectionRefused(admitted)
      const connection = new EventStreamConnection(request, deps, closed => {
        connections.remove(closed)
        admitted.release()
      })
      const refused = connection.open()
      if (refused === null) connections.add(connection)
      else admitted.release()
      return refused
    },
    report: () => stats.report(),
    commitToDelivery: () => stats.commitToDelivery(),
    async close() {
      const waiting = new AbortController()
      // Resolves after the timeout, or by the abort when all connections are closed.
      const deadline = pause(closeTimeoutMs, undefined, { signal: waiting.signal }).catch(() => {})
      const open = connections.size
      await connections.close(deadline, config.drainSeconds * 1_000)
      waiting.abort()
      stopSweeping()
      if (open > 0) await pause(lingerMs)
    },
  }
}
