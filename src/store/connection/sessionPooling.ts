import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { TokenwireError } from '#errors'
import type { DatabaseSetting } from './startError.ts'

/** One attempt may miss a pooler: it may happen to give the same session twice, and other clients come in between. */
const ATTEMPTS = 3

/**
 * Refuses a pooler that gives a client another session with each transaction, such as PgBouncer with `pool_mode = transaction`: locks,
 * settings and prepared statements of a session would reach another client.
 *
 * @param db a pool of two connections or more
 * @param setting what names the database
 * @throws `TokenwireError` `config_invalid`
 */
export async function requireSessions(db: Kysely<unknown>, setting: DatabaseSetting): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const isShared = await isSessionShared(db).catch((error: unknown) => {
      throw isStatementPooling(error) ? refusal(setting, error) : error
    })
    if (isShared) throw refusal(setting)
  }
}

/** Whether a client is given another session, or a second client finds what the first one has set in its session. */
async function isSessionShared(db: Kysely<unknown>): Promise<boolean> {
  const mark = randomUUID()
  return db.connection().execute(async first => {
    await sql`set tokenwire.session = ${sql.lit(mark)}`.execute(first)
    return db.connection().execute(async second => {
      await sql`begin`.execute(second)
      // The second client's transaction keeps its session. Where sessions are shared, the first client is then given another one.
      const isShared = (await markOf(second)) === mark || (await markOf(first)) !== mark
      await sql`rollback`.execute(second)
      return isShared
    })
  })
}

async function markOf(session: Kysely<unknown>): Promise<string | null> {
  const { rows } = await sql<{ mark: string | null }>`select current_setting('tokenwire.session', true) as mark`.execute(session)
  return rows[0]?.mark ?? null
}

/** With `pool_mode = statement` a pooler refuses transactions. */
function isStatementPooling(error: unknown): boolean {
  return error instanceof Error && error.message.includes('statement pooling')
}

function refusal(setting: string, cause?: unknown): TokenwireError {
  return new TokenwireError(
    'config_invalid',
    `${setting}: a pooler in transaction mode stands before PostgreSQL, such as PgBouncer with pool_mode = transaction; ` +
      'set pool_mode = session for this database, or connect to PostgreSQL itself',
    { cause },
  )
}
