import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import { messageOf } from '#errors'
import { describeHolder, HEARTBEAT_MS, type LockHolder, MISSED_HEARTBEATS, takeLock } from './advisoryLocks.ts'
import { REQUIRE_WRITES } from './leaveStandbys.ts'
import { createOrm } from './orm.ts'

export interface SessionLock {
  release(): Promise<void>
}

export type SessionLockOutcome = { readonly lock: SessionLock } | { readonly lock: null; readonly holder: LockHolder }

export interface SessionLockInput {
  readonly url: string
  /** A value of `LOCKS`. */
  readonly key: number
  readonly applicationName: string
  /** What the lock protects, as the log names it: `the embedded database`. */
  readonly what: string
  readonly logger: Logger
  /** How often to send a statement. Default 2 s. */
  readonly heartbeatMs?: number
  /** Ends the connection, also while a statement is under way. */
  readonly giveUp?: AbortSignal | undefined
  /** Called when another process has taken the lock after its connection was lost. */
  readonly onTakenAway?: (holder: LockHolder) => void
  /** Runs on each connection before it takes the lock. */
  readonly beforeTaking?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on each connection as soon as it holds the lock. */
  readonly onTaken?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on the connection before its release closes it. */
  readonly beforeRelease?: (session: Kysely<unknown>) => Promise<void>
}

/**
 * Holds an advisory lock on a connection of its own, so that the lock ends with this process. If the process or its host ends without
 * closing the connection, the server closes it when heartbeats stay away. When the connection is lost, or the server takes no writes any
 * more, another connection is opened and takes the lock again.
 *
 * @returns the holder when another process has the lock
 * @throws what `beforeTaking` and `onTaken` throw; the driver's error when the server can't be reached
 */
export async function holdSessionLock(input: SessionLockInput): Promise<SessionLockOutcome> {
  const { key, what, logger, heartbeatMs = HEARTBEAT_MS, giveUp } = input
  // Lost connections are logged below. The ORM would also warn when the server is stopped on purpose.
  const silent = logger.child({}, { level: 'silent' })
  const orm = createOrm(input.url, silent, { poolSize: 1, applicationName: input.applicationName, ...(giveUp && { giveUp }) })
  const db = orm.em.getKysely<unknown>()
  const stopped = new AbortController()
  const { signal } = stopped
  const claimed = Promise.withResolvers<LockHolder | null>()

  /** Holds the lock on one connection, until that is lost or the lock released. */
  const hold = (onTaken: (holder: LockHolder | null) => void) =>
    db.connection().execute(async session => {
      // A standby grants advisory locks, too.
      await REQUIRE_WRITES.execute(session)
      await input.beforeTaking?.(session)
      await sql`set idle_session_timeout = ${sql.lit(`${MISSED_HEARTBEATS * heartbeatMs}ms`)}`.execute(session)
      const holder = await takeLock(session, key, heartbeatMs, silent => {
        logger.info(`waiting for ${what}, which a silent session loses within 25 s: ${describeHolder(silent)}`)
      })
      if (holder === null) await input.onTaken?.(session)
      onTaken(holder)
      if (holder !== null) return
      await keepLock(session, signal, heartbeatMs)
      if (signal.aborted) await input.beforeRelease?.(session)
    })
  const holdAgain = async (attempt: number) => {
    try {
      await hold(holder => {
        if (holder === null) logger.warn(`${what} was lost and is held again`)
        else {
          logger.error(`another process has taken ${what}: ${describeHolder(holder)}`)
          input.onTakenAway?.(holder)
        }
      })
    } catch (error) {
      const reason = messageOf(error)
      if (isLogged(attempt)) logger.warn({ attempt, reason }, `the database does not answer; ${what} is held again as soon as it does`)
    }
    await pause(heartbeatMs, signal)
  }
  const run = async () => {
    try {
      await hold(holder => {
        claimed.resolve(holder)
        if (holder !== null) stopped.abort()
      })
      for (let attempt = 1; !signal.aborted; attempt++) await holdAgain(attempt)
    } catch (error) {
      claimed.reject(error)
    } finally {
      await orm.close(true)
    }
  }

  const running = run()
  const holder = await claimed.promise
  if (holder !== null) return { lock: null, holder }
  return {
    lock: {
      release: async () => {
        stopped.abort()
        await running
      },
    },
  }
}

/** Sends heartbeats. Resolves when the lock is released, its connection is lost, or the server takes no writes any more. */
async function keepLock(session: Kysely<unknown>, signal: AbortSignal, heartbeatMs: number): Promise<void> {
  const released = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => released.resolve(), { once: true })
  for (;;) {
    await pause(heartbeatMs, signal)
    if (signal.aborted) return
    try {
      // A release does not wait for an answer that may never come.
      await Promise.race([REQUIRE_WRITES.execute(session), released.promise])
    } catch {
      return
    }
  }
}
