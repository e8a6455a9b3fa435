import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Holder } from '#domain/holder.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'

/** Some of a token's holders by place, as sites page through them. Walks past those before: the gateway bounds the place. */
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
