import { Migrator } from '@mikro-orm/migrations'
import { sql } from 'kysely'
import { TokenwireError } from '#errors'
import { VERSION } from '#package'
import { CURRENT_SCHEMA, type Queryable } from '#store/connection/databaseSchema.ts'
import { Migration0001Initial } from './Migration0001Initial.ts'
import { Migration0002MinutesFrom } from './Migration0002MinutesFrom.ts'
import { Migration0003Launchpads } from './Migration0003Launchpads.ts'
import { Migration0004LatePairs } from './Migration0004LatePairs.ts'
import { Migration0005TradeAmounts } from './Migration0005TradeAmounts.ts'
import { Migration0006EarlyWallets } from './Migration0006EarlyWallets.ts'
import { Migration0007ValueChanges } from './Migration0007ValueChanges.ts'
import { Migration0008Links } from './Migration0008Links.ts'
import { Migration0011Leaders } from './Migration0011Leaders.ts'
import { Migration0012WebhookPositions } from './Migration0012WebhookPositions.ts'
import { Migration0016UndoImages } from './Migration0016UndoImages.ts'
import { Migration0017UnfoldedFrom } from './Migration0017UnfoldedFrom.ts'
import { Migration0018AthPriceUsd } from './Migration0018AthPriceUsd.ts'
import { Migration0019TokenNames } from './Migration0019TokenNames.ts'
import { Migration0020HolderTypes } from './Migration0020HolderTypes.ts'
import { Migration0021LinkSites } from './Migration0021LinkSites.ts'

/** Every migration, in the order in which they run. A published one is never edited: a change is a new one at the end. */
export const MIGRATIONS = [
  Migration0001Initial,
  Migration0002MinutesFrom,
  Migration0003Launchpads,
  Migration0004LatePairs,
  Migration0005TradeAmounts,
  Migration0006EarlyWallets,
  Migration0007ValueChanges,
  Migration0008Links,
  Migration0011Leaders,
  Migration0012WebhookPositions,
  Migration0016UndoImages,
  Migration0017UnfoldedFrom,
  Migration0018AthPriceUsd,
  Migration0019TokenNames,
  Migration0020HolderTypes,
  Migration0021LinkSites,
]

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

/**
 * @param executed the names of the migrations that the database has run
 * @throws `TokenwireError` `database_foreign` when this version does not know one of them
 */
export async function requireKnownSchema(db: Queryable, executed: readonly string[]): Promise<void> {
  const known = new Set<string>(MIGRATIONS.map(({ name }) => name))
  const unknown = executed.filter(name => !known.has(name))
  if (unknown.length === 0) return
  const { rows } = await sql<{ made: string | null }>`
    select obj_description(to_regclass(${CURRENT_SCHEMA} || '.mikro_orm_migrations'), 'pg_class') as made`.execute(db)
  const made = rows[0]?.made ?? 'another version of Tokenwire'
  throw new TokenwireError(
    'database_foreign',
    `DATABASE_URL: ${made} has made the schema of this database, and this is ${SIGNATURE}${VERSION}, which does not know ${unknown.join(', ')}: ` +
      'start that version or a newer one; to go back, restore the backup from before the update, or give DATABASE_URL (or DATA_DIR) a new database',
  )
}
