import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Supply } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { OUT_OF_CIRCULATION } from '#tables/balance.ts'
import { toBytes } from '#tables/toBytes.ts'

interface SupplyRow {
  readonly total_supply: string
  readonly decimals: number
  readonly burned: string
  readonly locked: string
}

/** A token's total, burned and locked supply; `null`: the token is not indexed. */
export async function readSupply(db: Queryable, token: Address): Promise<Supply | null> {
  const { rows } = await sql<SupplyRow>`
    select token.total_supply, token.decimals, held.burned, held.locked from token cross join lateral (
      select coalesce(sum(balance) filter (where type = 'burn'), 0) as burned,
        coalesce(sum(balance) filter (where type = 'locker'), 0) as locked
      from balance where balance.token = token.address and ${sql.raw(OUT_OF_CIRCULATION)} and balance.balance > 0
    ) as held
    where token.address = ${toBytes(token)}`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  return { total: BigInt(row.total_supply), burned: BigInt(row.burned), locked: BigInt(row.locked), decimals: row.decimals }
}
