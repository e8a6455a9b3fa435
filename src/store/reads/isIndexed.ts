import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'

/** Tells a token without rows from an address that is no indexed token. */
export async function isIndexed(db: Queryable, token: Address): Promise<boolean> {
  const { rows } = await sql`select from token where address = ${toBytes(token)}`.execute(db)
  return rows.length > 0
}
