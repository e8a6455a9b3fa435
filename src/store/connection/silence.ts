import type { DriverPool } from './driver.ts'

export interface Patience {
  /** A connection that owes an answer and gives none for this long ends; `null`: never. */
  readonly deadlineMs: number | null
  /** Ends every connection, and with it the statements under way. */
  readonly giveUp?: AbortSignal | undefined
  /** The timer of deadlines. Default: real time. */
  readonly startDeadline?: StartDeadline | undefined
}

/** Calls `expire` after `ms`, unless the function that it returns is called before. */
export type StartDeadline = (ms: number, expire: () => void) => () => void

const startTimer: StartDeadline = (ms, expire) => {
  const timer = setTimeout(expire, ms)
  return () => clearTimeout(timer)
}

/** How long a stopping service waits for the database: supervisors often kill a process 10 s after they ask it to end. */
export const DATABASE_PATIENCE_MS = 8_000

/** A server that can be reached closes a connection at once when asked to. */
const CLOSE_WITHIN_MS = 2_000

/**
 * Ends connections that have died in silence, as when a firewall has forgotten them or the server's host has lost power. TCP would report
 * that after a quarter of an hour, or never. The driver's `query_timeout` would keep the dead connection in its pool.
 */
export function endSilentConnections(pool: DriverPool, { deadlineMs, giveUp, startDeadline = startTimer }: Patience): void {
  const open = new Set<Connection>()

  class Connection extends pool.Client {
    #underWay = 0
    #answeredAtMs = performance.now()
    #endDeadline = () => {}

    constructor(options: unknown) {
      super(options)
      open.add(this)
      this.connection.once('end', () => open.delete(this))
    }

    override query(...args: readonly unknown[]): unknown {
      if (giveUp?.aborted === true) this.destroy(abandoned())
      const result = super.query(...args)
      if (deadlineMs === null || !(result instanceof Promise)) return result
      const settle = () => {
        this.#endDeadline()
        this.#answeredAtMs = performance.now()
        if (--this.#underWay > 0) this.#awaitAnswer(deadlineMs)
      }
      result.then(settle, settle)
      if (this.#underWay++ === 0) this.#awaitAnswer(deadlineMs)
      return result
    }

    /** The server runs statements one by one, so the deadline of each begins with the answer to the one before it. */
    #awaitAnswer(withinMs: number): void {
      const sinceMs = performance.now()
      this.#endDeadline = startDeadline(withinMs, () => {
        this.destroy(silence(withinMs))
        for (const other of open) other.#suspect(sinceMs, withinMs)
      })
    }

    override end(...args: readonly unknown[]): unknown {
      const late = setTimeout(() => this.destroy(), CLOSE_WITHIN_MS)
      late.unref()
      this.connection.once('end', () => clearTimeout(late))
      return super.end(...args)
    }

    destroy(error?: Error): void {
      this.connection.stream.destroy(error)
    }

    /** Ends a connection that was idle since before another one fell silent: the same cause may have silenced both. */
    #suspect(sinceMs: number, silentMs: number): void {
      if (this.#underWay === 0 && this.#answeredAtMs < sinceMs) this.destroy(silence(silentMs))
    }
  }

  pool.Client = Connection
  giveUp?.addEventListener('abort', () => {
    for (const connection of open) connection.destroy(abandoned())
  })
}

function abandoned(): Error {
  return new Error('Connection terminated: the service stops')
}

function silence(ms: number): Error {
  return Object.assign(new Error(`no answer from the database for ${Math.round(ms / 1_000)} s`), { code: 'ETIMEDOUT' })
}
