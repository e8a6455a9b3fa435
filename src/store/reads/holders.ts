import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { percentOf } from '#domain/decimal.ts'
import { classesOf } from '#domain/earlyWallets.ts'
import type { HolderType } from '#domain/holder.ts'
import type { Holder, HolderCursor, HoldersQuery } from '#resources/holders.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'

/** The most holders that a page with excluded types reads. */
export const MAX_LOOKED_AT = 2_000

interface HolderRow {
  readonly total_supply: string
  /** `null` in the one row of a token without such holders. */
  readonly holder: Address | null
  readonly balance: string
  readonly type: HolderType
  readonly last_changed_block: number
  readonly classes: number
  /** Whether the token's early classes are known. */
  readonly is_known: boolean
  readonly rank: number
}

/**
 * One page of a token's holders, largest first, equal balances by ascending address; `null` when the token is not indexed. A rank counts
 * holders of excluded types too. A page with `excludeTypes` may have fewer than `limit`, even none, and a next page.
 */
export async function readHolders(db: Queryable, query: HoldersQuery): Promise<Page<Holder, HolderCursor> | null> {
  const { address: token, excludeType, cursor, limit } = query
  const after =
    cursor === undefined
      ? sql``
      : sql`and (- balance.balance, balance.holder) > (- ${cursor.balance}::numeric, ${toBytes(cursor.address)}::bytea)`
  const lookedAt = excludeType.length === 0 ? limit + 1 : Math.max(limit + 1, MAX_LOOKED_AT)
  // The index has the columns that holders are chosen by; other columns are read only for listed holders. The last holder that was looked
  // at is listed too, because the next page begins after it.
  const page = sql<HolderRow>`
    select token.total_supply, token.creator_held is not null as is_known, listed.*, balance.last_changed_block, balance.classes from token
    left join lateral (
      select * from (
        select - balance.balance as size, balance.holder, balance.balance, balance.type,
          ${cursor?.rank ?? 0}::bigint + row_number() over (order by - balance.balance, balance.holder) as rank
        from balance where balance.token = token.address and balance.balance > 0 ${after}
        order by - balance.balance, balance.holder limit ${lookedAt}
      ) as ranked
      where ranked.type <> all(${[...excludeType]}::text[]) or ranked.rank = ${(cursor?.rank ?? 0) + lookedAt}
      order by ranked.size, ranked.holder limit ${limit + 1}
    ) as listed on true
    left join balance on balance.token = token.address and balance.holder = listed.holder
    where token.address = ${toBytes(token)}
    order by listed.rank`
  const { rows, asOfBlock } = await readAsOf(db, page)
  if (rows.length === 0) return null
  const seen = rows.flatMap(row => (row.holder === null ? [] : [toListed(row, row.holder)]))
  const data = seen.filter(({ type }) => !excludeType.includes(type)).slice(0, limit)
  // The next page begins after the last holder of this page or, if that is not full, after the last one that was read.
  const last = seen.length > limit ? seen[limit - 1] : seen.at(-1)
  const more = last !== undefined && (seen.length > limit || last.rank === (cursor?.rank ?? 0) + lookedAt)
  return { data, next: more ? { balance: last.balance, address: last.address, rank: last.rank } : null, asOfBlock }
}

/** A stored balance as the API shows it, with its share of the total supply to four decimals. */
export function toHolder({ rank, address, balance, ...others }: Omit<Holder, 'percent'>, totalSupply: bigint): Holder {
  return { rank, address, balance, percent: percentOf(BigInt(balance), totalSupply) ?? 0, ...others }
}

function toListed({ rank, balance, type, last_changed_block, total_supply, classes, is_known }: HolderRow, address: Address): Holder {
  const row = { rank, address, balance, type, lastChangedBlock: String(last_changed_block), classes: is_known ? classesOf(classes) : null }
  return toHolder(row, BigInt(total_supply))
}
