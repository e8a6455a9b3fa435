import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { LOCK_SPACE, LOCKS } from '#database/advisoryLocks.ts'
import { createOrm } from '#database/orm.ts'
import { TokenwireError } from '#errors'

export interface Ownership {
  /** Gives the server up; to be called before it is stopped, when all other connections are closed. */
  release(): Promise<void>
}

export interface OwnershipInput {
  /** A superuser's address of the server's `postgres` database. */
  readonly url: string
  readonly dataFolder: string
  /** The database to create when it is missing. */
  readonly database: string
  readonly logger: Logger
  /** How often to look whether the connection still stands. Default 5 s. */
  readonly heartbeatMs?: number
}

/** A service that was killed a moment ago loses the lock as soon as the server has noticed. */
const CLAIM_ATTEMPTS = 15
const CLAIM_PAUSE_MS = 100
const DRAIN_PAUSE_MS = 20

/**
 * Makes this process the one service of an embedded server: a connection that stays open holds an advisory lock, and both end with the
 * process, however it ends. Checks that the server is really the one of the data folder, and creates the database.
 *
 * @returns `null` when another service holds the lock
 * @throws `TokenwireError` with code `config_invalid` when it is another folder's server; what the driver says when it can't be reached
 */
export async function claimServer(input: OwnershipInput): Promise<Ownership | null> {
  // What happens to this connection is told below: the ORM would warn of its end when the server is stopped on purpose.
  const silent = input.logger.child({}, { level: 'silent' })
  const orm = createOrm(input.url, silent, { poolSize: 1, applicationName: 'tokenwire-owner' })
  const db = orm.em.getKysely<unknown>()
  const { heartbeatMs = 5_000, logger } = input
  const released = new AbortController()
  const claimed = Promise.withResolvers<boolean>()
  const hold = async () => {
    try {
      await db.connection().execute(async session => {
        await checkServer(session, input.dataFolder)
        const locked = await takeLock(session)
        if (locked) await ensureDatabase(session, input.database)
        claimed.resolve(locked)
        if (locked) await holdLock(session, released.signal, heartbeatMs)
        else released.abort()
        if (locked && released.signal.aborted) await othersEnd(session)
      })
      while (!released.signal.aborted) await holdAgain(db, released.signal, heartbeatMs, logger)
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

/** After a crash of the server, which has restarted itself: all its connections were lost. */
async function holdAgain(db: Kysely<unknown>, released: AbortSignal, heartbeatMs: number, logger: Logger): Promise<void> {
  try {
    await db.connection().execute(async session => {
      if (await takeLock(session)) {
        logger.warn('the embedded database had restarted')
        await holdLock(session, released, heartbeatMs)
      } else {
        logger.error('another service has taken the embedded database')
      }
    })
  } catch (err) {
    logger.error({ err }, 'the embedded database does not answer')
  }
  await pause(heartbeatMs, released)
}

async function checkServer(session: Kysely<unknown>, dataFolder: string): Promise<void> {
  const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(session)
  if (rows[0]?.folder === dataFolder) return
  throw new TokenwireError('config_invalid', `DATA_DIR: the server that answers is not the one of ${dataFolder}`)
}

async function takeLock(session: Kysely<unknown>): Promise<boolean> {
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(${sql.lit(LOCK_SPACE)}, ${sql.lit(LOCKS.embeddedOwner)}) as locked`.execute(session)
    if (rows[0]?.locked === true) return true
    await delay(CLAIM_PAUSE_MS)
  }
  return false
}

async function ensureDatabase(session: Kysely<unknown>, database: string): Promise<void> {
  const { rows } = await sql`select from pg_database where datname = ${database}`.execute(session)
  if (rows.length === 0) await sql`create database ${sql.id(database)}`.execute(session)
}

/** Resolves when the lock is released or its connection lost. */
async function holdLock(session: Kysely<unknown>, released: AbortSignal, heartbeatMs: number): Promise<void> {
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

/**
 * Waits, not for long, until the connections that were just closed have ended at the server too: cut off by its stop, they would still report that
 * as an error.
 */
async function othersEnd(session: Kysely<unknown>): Promise<void> {
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    const { rows } = await sql`
      select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`.execute(session)
    if (rows.length === 0) return
    await delay(DRAIN_PAUSE_MS)
  }
}

/** Neither keeps the process alive nor outlasts the release. */
async function pause(ms: number, released: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: released, ref: false }).catch(() => undefined)
}
