import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import { takeLock } from './advisoryLocks.ts'
import { createOrm } from './orm.ts'

export interface SessionLock {
  release(): Promise<void>
}

export interface SessionLockInput {
  readonly url: string
  /** Of `LOCKS`. */
  readonly key: number
  readonly applicationName: string
  /** What the lock protects, for the log: `the embedded database`. */
  readonly what: string
  readonly logger: Logger
  /** How often to check the connection. Default 5 s. */
  readonly heartbeatMs?: number
  /** Runs on a connection before it takes the lock. */
  readonly check?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on a connection when it holds the lock. */
  readonly taken?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on the connection before it is closed on release. */
  readonly releasing?: (session: Kysely<unknown>) => Promise<void>
}

/**
 * Holds an advisory lock on a connection of its own, so that it ends with this process in any case. When the connection is lost, as when
 * the server has crashed and recovered, another one is opened and the lock taken again.
 *
 * @returns `null` when another process holds the lock
 * @throws what `check` and `taken` throw; the driver's error when the server can't be reached
 */
export async function holdSessionLock(input: SessionLockInput): Promise<SessionLock | null> {
  const { key, what, logger, heartbeatMs = 5_000 } = input
  // Lost connections are logged below. The ORM would also warn when the server is stopped on purpose.
  const silent = logger.child({}, { level: 'silent' })
  const orm = createOrm(input.url, silent, { poolSize: 1, applicationName: input.applicationName })
  const db = orm.em.getKysely<unknown>()
  const stopped = new AbortController()
  const { signal } = stopped
  const claimed = Promise.withResolvers<boolean>()

  /** Holds the lock on one connection, until that is lost or the lock released. */
  const hold = (onTaken: (isHeld: boolean) => void) =>
    db.connection().execute(async session => {
      await input.check?.(session)
      const isHeld = await takeLock(session, key)
      if (isHeld) await input.taken?.(session)
      onTaken(isHeld)
      if (!isHeld) return
      await keepLock(session, signal, heartbeatMs)
      if (signal.aborted) await input.releasing?.(session)
    })
  const holdAgain = async (attempt: number) => {
    try {
      await hold(isHeld => {
        if (isHeld) logger.warn(`${what} was lost and is held again`)
        else logger.error(`another process has taken ${what}`)
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (isLogged(attempt)) logger.warn({ attempt, reason }, `the database does not answer; ${what} is held again as soon as it does`)
    }
    await pause(heartbeatMs, signal)
  }
  const run = async () => {
    try {
      await hold(isHeld => {
        claimed.resolve(isHeld)
        if (!isHeld) stopped.abort()
      })
      for (let attempt = 1; !signal.aborted; attempt++) await holdAgain(attempt)
    } catch (error) {
      claimed.reject(error)
    } finally {
      await orm.close(true)
    }
  }

  const running = run()
  if (!(await claimed.promise)) return null
  return {
    release: async () => {
      stopped.abort()
      await running
    },
  }
}

/** Resolves when the lock is released or its connection is lost. */
async function keepLock(session: Kysely<unknown>, signal: AbortSignal, heartbeatMs: number): Promise<void> {
  for (;;) {
    await pause(heartbeatMs, signal)
    if (signal.aborted) return
    try {
      await sql`select 1`.execute(session)
    } catch {
      return
    }
  }
}
