import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from './queryable.ts'

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
export const HEARTBEAT_MS = 2_000
/** The server ends a holder's session, and frees the lock, when this many heartbeats in a row are missing. */
export const MISSED_HEARTBEATS = 10
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
export async function readHolder(session: Queryable, key: number): Promise<LockHolder | null> {
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
