import { sql } from 'kysely'
import type { LaunchpadsConfig } from '#config'
import { CURRENT_SCHEMA, type Queryable } from '#store/connection/databaseSchema.ts'
import { MIGRATIONS, requireKnownSchema } from '#store/migrations/migrations.ts'

/** The chain and the launchpads of a database, as its indexer has stored them. */
export interface StoredIdentity extends LaunchpadsConfig {
  readonly chainId: number
}

/**
 * The name of the process that indexes into a database, which only its replicas share. A replica that is behind may show an earlier name.
 * `null`: no indexer has claimed the database.
 */
export async function readWriter(db: Queryable): Promise<string | null> {
  const { rows } = await sql<{ writer: string | null }>`select writer from chain_state`.execute(db)
  return rows[0]?.writer ?? null
}

/**
 * Whether the tables are as this version of the service needs them.
 *
 * @throws `TokenwireError` `database_foreign` when the schema is newer than this code
 */
export async function isMigrated(db: Queryable): Promise<boolean> {
  const { rows: tables } = await sql<{ known: boolean }>`
    select to_regclass(${CURRENT_SCHEMA} || '.mikro_orm_migrations') is not null as known`.execute(db)
  if (tables[0]?.known !== true) return false
  const { rows: executed } = await sql<{ name: string }>`select name from mikro_orm_migrations`.execute(db)
  await requireKnownSchema(
    db,
    executed.map(({ name }) => name),
  )
  return executed.length >= MIGRATIONS.length
}

/**
 * Reads the stored identity without changing anything. `null`: no indexer of this version has prepared the database yet.
 *
 * @throws as `isMigrated`
 */
export async function readIdentity(db: Queryable): Promise<StoredIdentity | null> {
  if (!(await isMigrated(db))) return null
  const { rows } = await sql<StoredIdentity>`
    select chain_id as "chainId", weth, launchpads, coalesce(peg_usd, '[]') as "pegUsd" from chain_state`.execute(db)
  return rows[0] ?? null
}
