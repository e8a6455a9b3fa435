import { type RawBuilder, sql } from 'kysely'
import type { LaunchpadConfig, PeggedCurrency } from '#config'
import type { Queryable } from '#store/connection/databaseSchema.ts'

/** The launchpads and pegs that an index has, which its configuration may want to change. */
export interface ListInForce {
  readonly launchpads: readonly LaunchpadConfig[]
  readonly pegUsd: readonly PeggedCurrency[]
  /** The names of launchpads that an operator wants rebuilt. */
  readonly rebuild: readonly string[]
}

/** @throws `TypeError` when no process has claimed the database */
export async function readListInForce(db: Queryable): Promise<ListInForce> {
  const list = await readListOf(db, sql.ref('chain_state'))
  if (list === null) throw new TypeError('chain_state holds no row of a claimed database')
  return list
}

/** The list of the index in another schema. `null`: there is no index of this version. */
export async function readListInSchema(db: Queryable, schema: string): Promise<ListInForce | null> {
  const { rows } = await sql`select from pg_attribute where attrelid = to_regclass(${`${JSON.stringify(schema)}.chain_state`})
    and attname = 'rebuild'`.execute(db)
  return rows.length === 0 ? null : readListOf(db, sql.id(schema, 'chain_state'))
}

async function readListOf(db: Queryable, table: RawBuilder<unknown>): Promise<ListInForce | null> {
  const { rows } = await sql<ListInForce>`select launchpads, coalesce(peg_usd, '[]') as "pegUsd", rebuild from ${table}`.execute(db)
  return rows[0] ?? null
}

/** Stores which launchpads and pegs the index has from now on. The joined ones no longer wait for a rebuild. */
export async function writeListInForce(
  db: Queryable,
  { launchpads, pegUsd }: Pick<ListInForce, 'launchpads' | 'pegUsd'>,
  joined: readonly string[],
): Promise<void> {
  await sql`update chain_state set launchpads = ${JSON.stringify(launchpads)}::jsonb, peg_usd = ${JSON.stringify(pegUsd)}::jsonb,
    rebuild = rebuild - ${[...joined]}::text[]`.execute(db)
}

/** Asks the process that indexes to rebuild a launchpad. */
export async function requestRebuild(db: Queryable, name: string): Promise<void> {
  await sql`update chain_state set rebuild = (rebuild - ${name}::text) || to_jsonb(${name}::text)`.execute(db)
}
