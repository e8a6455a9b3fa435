import { sql } from 'kysely'
import { toBytes } from '#database/bytes.ts'
import type { Queryable } from '#database/queryable.ts'
import type { Address } from '#domain/address.ts'

/** Tells a token without rows from an address that is no indexed token. */
export async function isIndexed(db: Queryable, token: Address): Promise<boolean> {
  const { rows } = await sql`select from token where address = ${toBytes(token)}`.execute(db)
  return rows.length > 0
}
