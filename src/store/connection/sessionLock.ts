import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged } from '#async/logSampling.ts'
import { createOrm } from './orm.ts'
import { takeLock } from './takeLock.ts'

export interface SessionLock {
  /** Gives the lock up and closes its connection. */
  release(): Promise<void>
}

export interface SessionLockInput {
  readonly url: string
  /** Of `LOCKS`. */
  readonly key: number
  /** The connection's `application_name`. */
  readonly applicationName: string
  /** What the lock protects, for the log: `the embedded database`. */
  readonly what: string
  readonly logger: Logger
  /** How often to check the connection. Default 5 s. */
  readonly heartbeatMs?: number
  /** Runs on the connection before the lock is taken. */
  readonly check?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on the connection when the lock is held for the first time. */
  readonly taken?: (session: Kysely<unknown>) => Promise<void>
  /** Runs on the connection before it is closed on release. */
  readonly releasing?: (session: Kysely<unknown>) => Promise<void>
}

/**
 * Holds an advisory lock on a connection of its own, so that it ends with this process in any case. When the connection is lost, another
 * one is opened and the lock taken again.
 *
 * @returns `null` when another process holds the lock
 * @throws what `check` and `taken` throw; the driver's error when the server can't be reached
 */
export async function holdSessionLock(input: SessionLockInput): Promise<SessionLock | null> {
  // Lost connections are logged below. The ORM would also warn when the server is stopped on purpose.
  const silent = input.logger.child({}, { level: 'silent' })
  const orm = createOrm(input.url, silent, { poolSize: 1, applicationName: input.applicationName })
  const db = orm.em.getKysely<unknown>()
  const { key, heartbeatMs = 5_000 } = input
  const released = new AbortController()
  const claimed = Promise.withResolvers<boolean>()
  const hold = async () => {
    try {
      await db.connection().execute(async session => {
        await input.check?.(session)
        const locked = await takeLock(session, key)
        if (locked) await input.taken?.(session)
        claimed.resolve(locked)
        if (locked) await keepLock(session, released.signal, heartbeatMs)
        else released.abort()
        if (locked && released.signal.aborted) await input.releasing?.(session)
      })
      for (let attempt = 1; !released.signal.aborted; attempt++) await holdAgain(db, released.signal, heartbeatMs, { ...input, attempt })
    } catch (error) {
      claimed.reject(error)
    } finally {
      await orm.close(true)
    }
  }
  const held = hold()
  if (!(await claimed.promise)) return null
  return {
    release: async () => {
      released.abort()
      await held
    },
  }
}

/** After the connection was lost, as when the server has crashed and recovered. */
async function holdAgain(
  db: Kysely<unknown>,
  released: AbortSignal,
  heartbeatMs: number,
  { key, what, logger, attempt }: SessionLockInput & { readonly attempt: number },
): Promise<void> {
  try {
    await db.connection().execute(async session => {
      if (await takeLock(session, key)) {
        logger.warn(`${what} was lost and is held again`)
        await keepLock(session, released, heartbeatMs)
      } else {
        logger.error(`another process has taken ${what}`)
      }
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (isLogged(attempt)) logger.warn({ attempt, reason }, `the database does not answer; ${what} is held again as soon as it does`)
  }
  await pause(heartbeatMs, released)
}

/** Resolves when the lock is released or its connection is lost. */
async function keepLock(session: Kysely<unknown>, released: AbortSignal, heartbeatMs: number): Promise<void> {
  while (!released.aborted) {
    await pause(heartbeatMs, released)
    if (released.aborted) return
    try {
      await sql`select 1`.execute(session)
    } catch {
      return
    }
  }
}

/** Ends with the release, and does not keep the process alive. */
async function pause(ms: number, released: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: released, ref: false }).catch(() => undefined)
}
