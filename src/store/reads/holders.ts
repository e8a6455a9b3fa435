import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { percentOf, shareOf } from '#domain/decimal.ts'
import { classesOf, EARLY_CLASSES, HELD_FIELDS, HOLDER_SIZES, type HolderType, RESERVE_TYPES } from '#domain/holder.ts'
import type { EarlyWallets, Holder, HolderCursor, HolderDistribution, HoldersQuery } from '#resources/holders.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUpIfAny, selectList } from '#store/rows/insertRows.ts'
import { type StoredRow, toBytes } from '#tables/columns.ts'
import { EARLY_CLASS, type EarlyClassRow } from '#tables/earlyClass.ts'
import type { FullTokenRow } from '#tables/token.ts'
import { readAsOf } from './page.ts'

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

interface DistributionRow {
  readonly supply: string
  readonly holders: number
  readonly top_ten: string
  readonly creator: string
  /** `null` in the one row of a token without large holders. */
  readonly size: number | null
  readonly is_reserve: boolean
  readonly size_holders: number
  readonly size_balance: string
}

/** The bounds between sizes in thousandths of the supply, ascending. `width_bucket` counts from 1. */
const BOUNDS = HOLDER_SIZES.filter(percent => percent > 0)
  .map(percent => percent * 10)
  .toReversed()

/**
 * How a token is spread over its holders; `null`: it is not indexed. Only holders with at least a thousandth of the supply are read, and
 * there are at most a thousand of them.
 */
export async function readHolderDistribution(db: Queryable, token: Address): Promise<HolderDistribution | null> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<DistributionRow>`
    select token.total_supply as supply, token.holder_count as holders, largest.top_ten, greatest(coalesce(own.balance, 0), 0) as creator, size.*
    from token
    ${lookUpIfAny('balance', sql`balance.token = token.address and balance.holder = token.creator`, 'own')}
    cross join lateral (
      select coalesce(sum(balance), 0) as top_ten from (
        select balance from (
          select balance, holder, type from balance where balance.token = token.address and balance.balance > 0
          order by - balance.balance, balance.holder limit ${sql.lit(MAX_LOOKED_AT)}
        ) as looked
        where type <> all(${[...RESERVE_TYPES]}::text[]) order by - balance, holder limit 10
      ) as ten
    ) as largest
    left join lateral (
      select width_bucket(balance * 1000, array[${sql.join(BOUNDS.map(bound => sql`${sql.lit(bound)} * token.total_supply`))}]) as size,
        type = any(${[...RESERVE_TYPES]}::text[]) as is_reserve, count(*)::integer as size_holders, sum(balance) as size_balance
      from (
        select balance, type from balance
        where balance.token = token.address and balance.balance > 0 and - balance.balance <= - ceil(token.total_supply / 1000)
        order by - balance.balance, balance.holder limit ${sql.lit(MAX_LOOKED_AT)}
      ) as large
      group by 1, 2
    ) as size on true
    where token.address = ${toBytes(token)}`,
  )
  const [first] = rows
  if (first === undefined || asOfBlock === null) return null
  const supply = BigInt(first.supply)
  const shareOf = (balance: bigint) => percentOf(balance > 0n ? balance : 0n, supply) ?? 0
  const groups = rows.filter(({ size }) => size !== null)
  const sumOf = (some: readonly DistributionRow[]) => ({
    holders: some.reduce((sum, { size_holders: holders }) => sum + holders, 0),
    balance: some.reduce((sum, { size_balance: balance }) => sum + BigInt(balance), 0n),
  })
  const large = sumOf(groups)
  return {
    token,
    holderCount: first.holders,
    topTenPercent: shareOf(BigInt(first.top_ten)),
    creatorPercent: shareOf(BigInt(first.creator)),
    reservePercent: shareOf(sumOf(groups.filter(({ is_reserve: isReserve }) => isReserve)).balance),
    sizes: HOLDER_SIZES.map((minPercent, index) => {
      const size = BOUNDS.length - index
      const { holders, balance } =
        size === 0
          ? { holders: Math.max(0, first.holders - large.holders), balance: supply - large.balance }
          : sumOf(groups.filter(group => group.size === size && !group.is_reserve))
      return { minPercent, holders, percent: shareOf(balance) }
    }),
    asOfBlock,
  }
}

/** The columns of a token's row about its early classes. */
export type HeldRow = StoredRow<Pick<FullTokenRow, 'totalSupply' | (typeof HELD_FIELDS)[keyof typeof HELD_FIELDS]>>

type ClassRow = HeldRow & (StoredRow<EarlyClassRow> | { readonly class: null })

/** The sums of each early class of a token, which commits keep: at most four rows. `null`: the token is not indexed. */
export async function readEarlyWallets(db: Queryable, token: Address): Promise<EarlyWallets | null> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<ClassRow>`
    select token.total_supply as "totalSupply", token.creator_held as "creatorHeld", token.sniper_held as "sniperHeld",
      token.bundler_held as "bundlerHeld", token.insider_held as "insiderHeld", ${selectList(EARLY_CLASS)}
    from token left join early_class on early_class.token = token.address where token.address = ${toBytes(token)}`,
  )
  const [first] = rows
  if (first === undefined || asOfBlock === null) return null
  const supply = BigInt(first.totalSupply)
  const isKnown = first.creatorHeld !== null
  const classes = EARLY_CLASSES.map(name => {
    const sums = rows.find(row => row.class === name)
    const { wallets, boughtToken, soldToken } = sums === undefined || sums.class === null ? NOBODY : sums
    return {
      class: name,
      // The creator counts even if it never held any of the token.
      wallets: isKnown ? Math.max(wallets, name === 'creator' ? 1 : 0) : null,
      boughtPercent: isKnown ? shareOf(BigInt(boughtToken), supply) : null,
      heldPercent: heldPercent(first, name),
      soldPercent: isKnown ? shareOf(BigInt(soldToken), supply) : null,
    }
  })
  return { token, asOfBlock, classes }
}

const NOBODY = { wallets: 0, boughtToken: '0', soldToken: '0' }

/** The present holdings of each class, in percent of the supply. */
export function toEarly(row: HeldRow): Token['early'] {
  return {
    sniperPercent: heldPercent(row, 'sniper'),
    bundlerPercent: heldPercent(row, 'bundler'),
    insiderPercent: heldPercent(row, 'insider'),
    creatorPercent: heldPercent(row, 'creator'),
  }
}

function heldPercent(row: HeldRow, name: keyof typeof HELD_FIELDS): number | null {
  const held = row[HELD_FIELDS[name]]
  return held === null ? null : percentOf(BigInt(held), BigInt(row.totalSupply))
}
