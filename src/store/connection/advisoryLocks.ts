import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/** The first number of the service's PostgreSQL advisory locks; the second is one of `LOCKS`. */
export const LOCK_SPACE = 0x746b7772

export const LOCKS = { migrate: 1, embeddedOwner: 2, writer: 3 } as const

/** The server needs a moment to release the lock of a process that was just killed. */
const ATTEMPTS = 15
const PAUSE_MS = 100

/** Whether the session, which has to be one connection, gets a lock of `LOCKS` within 1.5 s. It holds the lock until it ends. */
export async function takeLock(session: Queryable, key: number): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${sql.lit(LOCK_SPACE)}, ${sql.lit(key)}) as locked`.execute(session)
    if (rows[0]?.locked === true) return true
    await delay(PAUSE_MS)
  }
  return false
}
