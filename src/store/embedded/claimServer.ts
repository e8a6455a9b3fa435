import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { LOCKS } from '#store/connection/advisoryLocks.ts'
import { holdSessionLock, type SessionLock } from '#store/connection/sessionLock.ts'
import { EMBEDDED_NAME } from './layout.ts'

export interface OwnershipInput {
  /** A superuser's address of the server's `postgres` database. */
  readonly url: string
  readonly dataFolder: string
  readonly logger: Logger
  readonly heartbeatMs?: number
}

const DRAIN_ATTEMPTS = 15
const DRAIN_PAUSE_MS = 20

/**
 * Makes this process the owner of an embedded server until it releases it or ends, and creates the database.
 *
 * @returns `null` when another service owns it
 * @throws `TokenwireError` `config_invalid` when it is another folder's server; the driver's error when it can't be reached
 */
export async function claimServer({ dataFolder, ...input }: OwnershipInput): Promise<SessionLock | null> {
  const { lock } = await holdSessionLock({
    ...input,
    key: LOCKS.embeddedOwner,
    applicationName: 'tokenwire-owner',
    what: 'the embedded database',
    beforeTaking: session => checkServer(session, dataFolder),
    onTaken: ensureDatabase,
    beforeRelease: drainConnections,
  })
  return lock
}

async function checkServer(session: Kysely<unknown>, dataFolder: string): Promise<void> {
  const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(session)
  if (rows[0]?.folder === dataFolder) return
  throw new TokenwireError('config_invalid', `DATA_DIR: the server that answers is not the one of ${dataFolder}`)
}

async function ensureDatabase(session: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_database where datname = ${EMBEDDED_NAME}`.execute(session)
  if (rows.length === 0) await sql`create database ${sql.id(EMBEDDED_NAME)}`.execute(session)
}

/** Waits briefly for connections that are being closed: they would report an error if the server's shutdown ended them. */
async function drainConnections(session: Kysely<unknown>): Promise<void> {
  for (let attempt = 0; attempt < DRAIN_ATTEMPTS; attempt++) {
    const { rows } = await sql`
      select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`.execute(session)
    if (rows.length === 0) return
    await delay(DRAIN_PAUSE_MS)
  }
}
