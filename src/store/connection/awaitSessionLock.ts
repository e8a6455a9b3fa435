import { isLogged } from '#async/logSampling.ts'
import { pause } from '#async/pause.ts'
import { messageOf } from '#errors'
import { readHolder } from './advisoryLocks.ts'
import { createOrm } from './orm.ts'
import { holdSessionLock, type SessionLock, type SessionLockInput } from './sessionLock.ts'

const LOOK_EVERY_MS = 250

/**
 * Waits until no other process holds the lock, then takes it. A killed holder frees it at once. When a holder hangs or its host is lost,
 * the server frees the lock after 20 s without a heartbeat.
 *
 * @returns `null` when the signal has aborted
 */
export async function awaitSessionLock(input: SessionLockInput, signal: AbortSignal): Promise<SessionLock | null> {
  const { url, key, what, logger } = input
  const silent = logger.child({}, { level: 'silent' })
  const orm = createOrm(url, silent, { poolSize: 1, applicationName: 'tokenwire-standby', statementTimeoutMs: 5_000 })
  const db = orm.em.getKysely<unknown>()
  try {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const outcome = (await readHolder(db, key)) === null ? await holdSessionLock(input) : null
        // Without a lock, another standby was faster.
        if (outcome !== null && outcome.lock !== null) return outcome.lock
        failures = 0
      } catch (error) {
        const reason = messageOf(error)
        if (isLogged(++failures)) logger.warn({ failures, reason }, `the database does not say who has ${what}, asking again`)
      }
      await pause(LOOK_EVERY_MS, signal)
    }
    return null
  } finally {
    await orm.close(true)
  }
}
