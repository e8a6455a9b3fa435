import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { percentOf } from '#domain/decimal.ts'
import { HOLDER_SIZES, RESERVE_TYPES } from '#domain/holderDistribution.ts'
import type { HolderDistribution } from '#resources/holderDistribution.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUpIfAny } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { MAX_LOOKED_AT } from './holders.ts'

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
