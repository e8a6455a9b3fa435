import type { Logger } from 'pino'
import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Admission } from '#gateway/admission/admission.ts'
import type { RealtimeStats } from '#gateway/health/realtimeStats.ts'
import { problem, RETRY_AFTER } from '#gateway/http/problem.ts'
import type { Flusher } from '#gateway/outbox/flusher.ts'
import type { ChannelActors } from './channelSubscriptions.ts'

export const SHUTTING_DOWN = problem(503, 'data_unavailable', 'the server is shutting down', [RETRY_AFTER])

export interface ConnectionDeps extends ChannelActors {
  readonly config: Pick<Config, 'maxSubscriptionsPerConnection' | 'maxMessagesPerSecond' | 'drainSeconds' | 'launchpads'>
  readonly admission: Admission
  readonly registry: Pick<Registry, 'subscribe' | 'unsubscribe' | 'internAddress'>
  readonly flusher: Flusher
  readonly stats: RealtimeStats
  readonly logger: Logger
  /** Monotonic milliseconds, for durations. */
  readonly now: () => number
  /** Unix milliseconds, for times that a client sees. */
  readonly epochMs: () => number
}

export interface Connection {
  /** Pings or comments a silent connection and closes an unresponsive one. `budget` bounds the writes of one sweep. */
  sweep(nowMs: number, budget: WriteBudget): void
  /**
   * Writes the waiting messages, then closes: at once, or when a slow reader has read them.
   *
   * @param returnAfterMs how long the client is asked to stay away; `null`: its own delay decides
   */
  shutDown(returnAfterMs: number | null): void
  /** Closes at once, with the delay of `shutDown`. The messages that a slow reader has not read are lost. */
  cutOff(): void
}

/** The most writes per sweep, which take some 10 ms: a sweep must not delay the updates of a block. */
const WRITES_PER_SWEEP = 2_000

/** The writes that a sweep has left. The other connections get their turn in the next sweep. */
export interface WriteBudget {
  left: number
}

export interface Connections {
  readonly isClosing: boolean
  readonly size: number
  add(connection: Connection): void
  remove(connection: Connection): void
  sweep(nowMs: number): void
  /**
   * Closes all connections. Those of slow readers close when they have read their messages, at the latest when `deadline` resolves.
   *
   * @param spreadMs the time over which the clients' returns are spread; 0: their own delay decides
   */
  close(deadline: Promise<void>, spreadMs: number): Promise<void>
}

export function createConnections(): Connections {
  const open = new Set<Connection>()
  const empty = Promise.withResolvers<void>()
  let isClosing = false
  return {
    get isClosing() {
      return isClosing
    },
    get size() {
      return open.size
    },
    add: connection => void open.add(connection),
    remove(connection) {
      open.delete(connection)
      if (isClosing && open.size === 0) empty.resolve()
    },
    sweep(nowMs) {
      const budget = { left: WRITES_PER_SWEEP }
      for (const connection of open) connection.sweep(nowMs, budget)
    },
    async close(deadline, spreadMs) {
      isClosing = true
      const { size } = open
      let index = 0
      for (const connection of open) connection.shutDown(spreadMs === 0 ? null : (spreadMs * index++) / size)
      if (open.size > 0) await Promise.race([empty.promise, deadline])
      for (const connection of open) connection.cutOff()
    },
  }
}
