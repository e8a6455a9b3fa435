import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import { isLogged, pause } from '#async/pause.ts'
import { messageOf } from '#errors'
import type { Queryable } from './databaseSchema.ts'
import { createOrm, REQUIRE_WRITES } from './orm.ts'

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

/** An advisory lock of the service has two numbers: this plus one of `LOCKS`, and the hash of the schema's name. */
const LOCK_SPACE = 0x746b7772

export const LOCKS = { migrate: 1, embeddedOwner: 2, writer: 3 } as const

/** Both numbers of a lock of `LOCKS`, for the schema of the session that asks. */
export function lockOf(key: number): RawBuilder<unknown> {
  return sql`${sql.lit(LOCK_SPACE + key)}, hashtext(current_schema())`
}

/** The session of another process that holds a lock. */
export interface LockHolder {
  /** The server process of the session, for `pg_terminate_backend`. */
  readonly pid: number
  /** `null`: a local socket, or not visible to this role. */
  readonly address: string | null
  readonly connectedSeconds: number
  /** Seconds since its last statement; `null`: not visible to this role. */
  readonly silentSeconds: number | null
  /** A text that changes with each statement of the session. */
  readonly sign: string
}

/** A holder sends a statement this often. */
const HEARTBEAT_MS = 2_000
/** The server ends a holder's session, and frees the lock, when this many heartbeats in a row are missing. */
const MISSED_HEARTBEATS = 10
/** `onSilent` is called for a holder that has sent no statement for this many beats. */
const SILENT_HEARTBEATS = 2

/** How long the server may take to release the lock of a process that was just killed. */
const RELEASE_MS = 1_500
const PAUSE_MS = 100
const MARGIN_MS = 5_000

/**
 * Takes a lock of `LOCKS` for a session, which has to be one connection and holds the lock until it ends. Is refused as soon as the holder
 * sends a statement. Waits up to 25 s for a holder that sends none, such as a session whose connection was lost in silence.
 *
 * @param onSilent is called once with such a holder
 * @returns the holder when the lock is refused, else `null`
 */
export async function takeLock(
  session: Queryable,
  key: number,
  heartbeatMs = HEARTBEAT_MS,
  onSilent: (holder: LockHolder) => void = () => {},
): Promise<LockHolder | null> {
  const startedAtMs = performance.now()
  // The server ends a silent holder's session within this time.
  const maxWaitMs = MISSED_HEARTBEATS * heartbeatMs + MARGIN_MS
  let seen: string | null = null
  let isLogged = false
  for (;;) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${lockOf(key)}) as locked`.execute(session)
    if (rows[0]?.locked === true) return null
    const waitedMs = performance.now() - startedAtMs
    if (waitedMs > RELEASE_MS) {
      const holder = await readHolder(session, key)
      const isAlive = holder !== null && (holder.silentSeconds === null || (seen !== null && holder.sign !== seen))
      if (holder !== null && (isAlive || waitedMs > maxWaitMs)) return holder
      if (holder !== null && !isLogged && Number(holder.silentSeconds) * 1_000 > SILENT_HEARTBEATS * heartbeatMs) {
        isLogged = true
        onSilent(holder)
      }
      seen = holder?.sign ?? null
    }
    await delay(PAUSE_MS)
  }
}

/** For an error's message: who holds the lock, and how to end it if it is gone. */
export function describeHolder({ pid, address, connectedSeconds, silentSeconds }: LockHolder): string {
  const heard = silentSeconds === null ? '' : `, last heard of ${Math.round(silentSeconds)} s ago`
  const from = address === null ? '' : ` from ${address}`
  return `server process ${pid}, connected${from} for ${Math.round(connectedSeconds)} s${heard}; if that service is gone: select pg_terminate_backend(${pid})`
}

/** The session that holds a lock of `LOCKS`; `null`: the lock is free. */
async function readHolder(session: Queryable, key: number): Promise<LockHolder | null> {
  const { rows } = await sql<LockHolder>`
    select pid, host(client_addr) || ':' || client_port as address,
      extract(epoch from clock_timestamp() - coalesce(backend_start, clock_timestamp()))::float8 as "connectedSeconds",
      extract(epoch from clock_timestamp() - state_change)::float8 as "silentSeconds",
      pid || ' ' || coalesce(state_change::text, '') as sign
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = ${sql.lit(LOCK_SPACE + key)} and objsubid = 2
      and objid = (hashtext(current_schema())::bigint & 4294967295)::oid
      and database = (select oid from pg_database where datname = current_database())`.execute(session)
  return rows[0] ?? null
}
