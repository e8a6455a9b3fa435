import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Holder } from '#resources/holders.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'

/**
 * A page of a token's holders by rank, as market-data sites ask for it. Reads all holders before the page, so the gateway bounds the
 * offset.
 */
export async function readHoldersFrom(
  db: Queryable,
  token: Address,
  place: number,
  limit: number,
): Promise<readonly Pick<Holder, 'address' | 'balance'>[]> {
  const { rows } = await sql<Pick<Holder, 'address' | 'balance'>>`
    select holder as address, balance::text as balance from balance where token = ${toBytes(token)} and balance > 0
    order by - balance, holder offset ${place} limit ${limit}`.execute(db)
  return rows
}
