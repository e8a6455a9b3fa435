import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { LOCK_SPACE, LOCKS } from '#database/advisoryLocks.ts'
import { createOrm } from '#database/orm.ts'
import { TokenwireError } from '#errors'

export interface Ownership {
  /** Gives the server up; to be called when it is stopped. */
  release(): Promise<void>
}

export interface OwnershipInput {
  /** A superuser's address of the server's `postgres` database. */
  readonly url: string
  readonly dataFolder: string
  /** The database to create when it is missing. */
  readonly database: string
  readonly logger: Logger
}

/** A service that was killed a moment ago loses the lock as soon as the server has noticed. */
const CLAIM_ATTEMPTS = 15
const CLAIM_PAUSE_MS = 100
const HEARTBEAT_MS = 5_000

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
  const released = new AbortController()
  const claimed = Promise.withResolvers<boolean>()
  const hold = async () => {
    try {
      await db.connection().execute(async session => {
        await checkServer(session, input.dataFolder)
        const locked = await takeLock(session)
        if (locked) await ensureDatabase(session, input.database)
        claimed.resolve(locked)
        if (locked) await holdLock(session, released.signal)
        else released.abort()
      })
      while (!released.signal.aborted) await holdAgain(db, released.signal, input.logger)
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
async function holdAgain(db: Kysely<unknown>, released: AbortSignal, logger: Logger): Promise<void> {
  try {
    await db.connection().execute(async session => {
      if (await takeLock(session)) {
        logger.warn('the embedded database had restarted')
        await holdLock(session, released)
      } else {
        logger.error('another service has taken the embedded database')
      }
    })
  } catch (err) {
    logger.error({ err }, 'the embedded database does not answer')
  }
  await pause(HEARTBEAT_MS, released)
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
async function holdLock(session: Kysely<unknown>, released: AbortSignal): Promise<void> {
  while (!released.aborted) {
    await pause(HEARTBEAT_MS, released)
    if (released.aborted) return
    try {
      await sql`select 1`.execute(session)
    } catch {
      return
    }
  }
}

/** Neither keeps the process alive nor outlasts the release. */
async function pause(ms: number, released: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: released, ref: false }).catch(() => undefined)
}
