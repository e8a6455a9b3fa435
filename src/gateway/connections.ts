import type { Logger } from 'pino'
import type { Registry } from '#actors/registry.ts'
import type { Config } from '#config'
import type { Admission } from './admission.ts'
import type { Flusher } from './flusher.ts'
import { problem, RETRY_AFTER } from './problem.ts'
import type { RealtimeStats } from './realtimeStats.ts'

/** The answer to who wants to open a connection when the process is about to end. */
export const SHUTTING_DOWN = problem(503, 'data_unavailable', 'the server is shutting down', [RETRY_AFTER])

/** What WebSockets and event streams are built from. */
export interface ConnectionDeps {
  readonly config: Pick<Config, 'maxSubscriptionsPerConnection' | 'maxMessagesPerSecond'>
  readonly admission: Admission
  readonly registry: Pick<Registry, 'subscribe' | 'unsubscribe' | 'internAddress'>
  readonly flusher: Flusher
  readonly stats: RealtimeStats
  readonly logger: Logger
  /** Monotonic, in ms. */
  readonly now: () => number
}

/** One open WebSocket or event stream, as the set of all of them sees it. */
export interface Connection {
  /** Looks after a connection that may be silent or stuck. `budget` bounds the writes of one sweep. */
  sweep(nowMs: number, budget: WriteBudget): void
  /** Writes what is owed and closes; later, when the reader is slow. */
  shutDown(): void
  /** Closes at once. */
  cutOff(): void
}

/** How many connections may be written to in one sweep, so that it does not delay the updates of a block. */
export class WriteBudget {
  #left: number

  constructor(writes: number) {
    this.#left = writes
  }

  /** Whether one more is allowed; the rest has its turn in the next sweep. */
  take(): boolean {
    if (this.#left === 0) return false
    this.#left--
    return true
  }
}

/** Some 10 ms of work. */
const WRITES_PER_SWEEP = 2_000

/** All open connections of a transport. */
export class ConnectionSet {
  readonly #open = new Set<Connection>()
  #isClosing = false
  #whenEmpty: (() => void) | null = null

  /** Whether new ones are to be refused. */
  get isClosing(): boolean {
    return this.#isClosing
  }

  get size(): number {
    return this.#open.size
  }

  add(connection: Connection): void {
    this.#open.add(connection)
  }

  remove(connection: Connection): void {
    this.#open.delete(connection)
    if (this.#open.size === 0) this.#whenEmpty?.()
  }

  sweep(nowMs: number): void {
    const budget = new WriteBudget(WRITES_PER_SWEEP)
    for (const connection of this.#open) connection.sweep(nowMs, budget)
  }

  /**
   * Closes all: those that read now, the others when they have read what is owed to them, and those that have not by the deadline then.
   *
   * @param deadline resolves when the waiting ends
   */
  async close(deadline: Promise<void>): Promise<void> {
    this.#isClosing = true
    const empty = new Promise<void>(resolve => {
      this.#whenEmpty = resolve
    })
    for (const connection of this.#open) connection.shutDown()
    if (this.#open.size > 0) await Promise.race([empty, deadline])
    for (const connection of this.#open) connection.cutOff()
  }
}
