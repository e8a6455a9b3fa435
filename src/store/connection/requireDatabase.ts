import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { type DatabaseUse, missingRights, readRights } from './databaseRights.ts'
import type { Queryable } from './queryable.ts'
import { requireSessions } from './sessionPooling.ts'
import { type DatabaseSetting, startError } from './startError.ts'

const OLDEST_SERVER = 15

export interface RequiredDatabase {
  readonly url: string
  readonly use: DatabaseUse
  readonly logger: Logger
}

/**
 * Refuses at the start a database that the service can't use, with the setting or the statement that helps.
 *
 * @param db a pool of two connections or more
 * @throws `TokenwireError`: `database_unavailable` (retryable) when the server can't be reached or takes no writes, else `config_invalid`
 */
export async function requireDatabase(db: Kysely<unknown>, { url, use, logger }: RequiredDatabase): Promise<void> {
  const setting = use === 'replica' ? 'DATABASE_READ_URL' : 'DATABASE_URL'
  try {
    await requireServer(db, setting)
    await requireSessions(db, setting)
    const rights = await readRights(db)
    if (use === 'serve' && rights.isStandby) throw standbyError()
    if (use === 'index' && rights.isReadOnly) throw Object.assign(new Error('its transactions are read-only'), { code: '25006' })
    const missing = missingRights(rights, use)
    if (missing !== null) throw new TokenwireError('config_invalid', `${setting}: ${missing}`)
    if (use !== 'index') return
    if (!rights.foldsLetters) logger.warn(PLAIN_LETTERS)
    if (rights.isOrderOutdated) logger.warn(outdatedOrder(rights.database))
  } catch (error) {
    throw startError(error, { url, setting })
  }
}

const PLAIN_LETTERS =
  'DATABASE_URL: the locale of the database does not fold letters as Unicode does, so that search tells upper from lower case in some names; ' +
  "a database made with locale 'C.UTF-8' does not"

/** After an update of the operating system's collations, an index may miss texts that the table has. */
function outdatedOrder(database: string): string {
  const remedy = `reindex database ${database}; alter database ${database} refresh collation version`
  return `DATABASE_URL: the system orders texts otherwise than when the database was created; as its owner, run there: ${remedy}`
}

async function requireServer(db: Queryable, setting: DatabaseSetting): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_encoding') as encoding`.execute(db)
  const { version = 0, encoding = '' } = rows[0] ?? {}
  if (version < OLDEST_SERVER) {
    throw new TokenwireError(
      'config_invalid',
      `${setting}: the server is PostgreSQL ${version}; version ${OLDEST_SERVER} or newer is needed`,
    )
  }
  if (encoding === 'UTF8') return
  const remedy = "create another one: create database tokenwire template template0 encoding 'UTF8' locale 'C.UTF-8'"
  throw new TokenwireError(
    'config_invalid',
    `${setting}: the database has the encoding ${encoding}, and names of tokens need UTF8; ${remedy}`,
  )
}

/** The error is retryable, since the standby may be about to become the primary. */
function standbyError(): TokenwireError {
  const sentence = 'the server is a standby, which announces no commits; give its primary here, and the standby as DATABASE_READ_URL'
  return new TokenwireError('database_unavailable', `DATABASE_URL: ${sentence}`, { retryable: true })
}
