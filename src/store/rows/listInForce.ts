import { type RawBuilder, sql } from 'kysely'
import type { LaunchpadConfig, PeggedCurrency } from '#config'
import type { Queryable } from '#store/connection/queryable.ts'

/** What an index is of. */
export interface ListInForce {
  readonly launchpads: readonly LaunchpadConfig[]
  readonly pegUsd: readonly PeggedCurrency[]
  /** Names of launchpads that an operator wants built anew. */
  readonly rebuild: readonly string[]
}

/** @throws `TypeError` when no process has claimed the database */
export async function readListInForce(db: Queryable): Promise<ListInForce> {
  const list = await readListOf(db, sql.ref('chain_state'))
  if (list === null) throw new TypeError('chain_state holds no row of a claimed database')
  return list
}

/** What the index in another schema is of. `null`: there is none of this version. */
export async function readListInSchema(db: Queryable, schema: string): Promise<ListInForce | null> {
  const { rows } = await sql`select from pg_attribute where attrelid = to_regclass(${`${JSON.stringify(schema)}.chain_state`})
    and attname = 'rebuild'`.execute(db)
  return rows.length === 0 ? null : readListOf(db, sql.id(schema, 'chain_state'))
}

async function readListOf(db: Queryable, table: RawBuilder<unknown>): Promise<ListInForce | null> {
  const { rows } = await sql<ListInForce>`select launchpads, coalesce(peg_usd, '[]') as "pegUsd", rebuild from ${table}`.execute(db)
  return rows[0] ?? null
}

/** Names what is in the index from now on. What joined is no longer to be built anew. */
export async function writeListInForce(
  db: Queryable,
  { launchpads, pegUsd }: Pick<ListInForce, 'launchpads' | 'pegUsd'>,
  joined: readonly string[],
): Promise<void> {
  await sql`update chain_state set launchpads = ${JSON.stringify(launchpads)}::jsonb, peg_usd = ${JSON.stringify(pegUsd)}::jsonb,
    rebuild = rebuild - ${[...joined]}::text[]`.execute(db)
}

/** Asks the process that indexes to build a launchpad anew. */
export async function requestRebuild(db: Queryable, name: string): Promise<void> {
  await sql`update chain_state set rebuild = (rebuild - ${name}::text) || to_jsonb(${name}::text)`.execute(db)
}
