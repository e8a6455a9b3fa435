import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { LOCK_SPACE } from './advisoryLocks.ts'
import type { Queryable } from './queryable.ts'

/** The server needs a moment to release the lock of a process that was just killed. */
const ATTEMPTS = 15
const PAUSE_MS = 100

/**
 * Takes an advisory lock for the session, which has to be one connection. Waits up to 1.5 s for a process that is ending to lose it.
 *
 * @param key of `LOCKS`
 * @returns whether it is held
 */
export async function takeLock(session: Queryable, key: number): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${sql.lit(LOCK_SPACE)}, ${sql.lit(key)}) as locked`.execute(session)
    if (rows[0]?.locked === true) return true
    await delay(PAUSE_MS)
  }
  return false
}
