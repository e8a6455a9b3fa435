import { type Migration, Migrator } from '@mikro-orm/migrations'
import { sql } from 'kysely'
import { TokenwireError } from '#errors'
import { VERSION } from '#package'
import { CURRENT_SCHEMA, type Queryable } from '#store/connection/databaseSchema.ts'
import { Migration0001Schema } from './Migration0001Schema.ts'

/** Every migration, in the order in which they run. A published one is never edited: a change is a new one at the end. */
export const MIGRATIONS: (new (...options: ConstructorParameters<typeof Migration>) => Migration)[] = [Migration0001Schema]

export const MIGRATION_OPTIONS = {
  extensions: [Migrator],
  migrations: {
    migrationsList: MIGRATIONS,
    pathTs: 'src/store/migrations',
    path: 'src/store/migrations',
    snapshot: false,
    silent: true,
  },
}

/** Stores in a comment, which backups have too, that this version has last changed the schema. */
export async function signSchema(db: Queryable): Promise<void> {
  await sql`comment on table mikro_orm_migrations is ${sql.lit(SIGNATURE + VERSION)}`.execute(db)
}

const SIGNATURE = 'Tokenwire '

/** The first migration of databases from before the schema began anew. */
const EARLIER_SCHEMA = 'Migration0001Initial'

/**
 * @param executed the names of the migrations that the database has run
 * @throws `TokenwireError` `database_foreign` when this version does not know one of them
 */
export async function requireKnownSchema(db: Queryable, executed: readonly string[]): Promise<void> {
  const known = new Set<string>(MIGRATIONS.map(({ name }) => name))
  const unknown = executed.filter(name => !known.has(name))
  if (unknown.length === 0) return
  if (unknown.includes(EARLIER_SCHEMA)) {
    throw new TokenwireError(
      'database_foreign',
      'DATABASE_URL: the schema of this database is from before the versions that are migrated: give DATABASE_URL (or DATA_DIR) a new database, ' +
        'which is indexed anew from the chain, or start the version that made it',
    )
  }
  const { rows } = await sql<{ made: string | null }>`
    select obj_description(to_regclass(${CURRENT_SCHEMA} || '.mikro_orm_migrations'), 'pg_class') as made`.execute(db)
  const made = rows[0]?.made ?? 'another version of Tokenwire'
  throw new TokenwireError(
    'database_foreign',
    `DATABASE_URL: ${made} has made the schema of this database, and this is ${SIGNATURE}${VERSION}, which does not know ${unknown.join(', ')}: ` +
      'start that version or a newer one; to go back, restore the backup from before the update, or give DATABASE_URL (or DATA_DIR) a new database',
  )
}
