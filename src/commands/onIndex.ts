import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { readIdentity, type StoredIdentity } from '#store/rows/identity.ts'

interface OnIndexOptions {
  readonly url: string
  readonly applicationName: string
  readonly logger: Logger
}

/**
 * Runs the work of a command on the index that is in the database.
 *
 * @throws `TokenwireError` as `requireDatabase`; `config_invalid` when there is no index of this version
 */
export async function onIndex<T>(
  { url, applicationName, logger }: OnIndexOptions,
  work: (db: Kysely<unknown>, identity: StoredIdentity) => Promise<T>,
): Promise<T> {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName })
  try {
    const db = orm.em.getKysely<unknown>()
    await requireDatabase(db, { url, use: 'serve', logger })
    const identity = await readIdentity(db)
    if (identity === null) throw new TokenwireError('config_invalid', 'DATABASE_URL: there is no index of this version in the database')
    return await work(db, identity)
  } finally {
    await orm.close(true)
  }
}
