import { type RawBuilder, sql } from 'kysely'
import { weiFrom } from '#domain/tradeSize.ts'
import type { TokenFilters, TokenSort } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { sortColumn } from './tokenOrder.ts'
import { OF_PART, withParts } from './tokenParts.ts'

/** The most tokens that a page looks at if no index covers all of its filters. */
export const MAX_TOKENS_FILTERED = 1_000

/** Limits of a column that lists can be sorted by: they let a range of that sort's index through. */
export interface TokenBound {
  readonly sort: TokenSort
  readonly condition: RawBuilder<unknown>
}

/** The filters on columns by which lists can be sorted. Amounts in WETH are compared in wei. */
export function boundsOf(query: TokenFilters): readonly TokenBound[] {
  const { minMarketCap, minLiquidity, minVolume24h, minHolders, minGraduation, createdAfter, createdBefore } = query
  const atLeast = (sort: TokenSort, value: RawBuilder<unknown>): TokenBound => ({
    sort,
    condition: sql`${sortColumn(sort).column} >= ${value}`,
  })
  const created = [
    ...(createdAfter === undefined ? [] : [sql`token.created_at > ${createdAfter}::bigint`]),
    ...(createdBefore === undefined ? [] : [sql`token.created_at < ${createdBefore}::bigint`]),
  ]
  return [
    ...(minMarketCap === undefined ? [] : [atLeast('marketCap', sql`${minMarketCap}::numeric`)]),
    ...(minLiquidity === undefined ? [] : [atLeast('liquidity', sql`${minLiquidity}::numeric`)]),
    ...(minVolume24h === undefined ? [] : [atLeast('volume24h', sql`${weiFrom(minVolume24h).toString()}::numeric`)]),
    ...(minHolders === undefined ? [] : [atLeast('holders', sql`${minHolders}::integer`)]),
    ...(minGraduation === undefined ? [] : [atLeast('graduation', sql`${minGraduation}::double precision`)]),
    ...(created.length === 0 ? [] : [{ sort: 'createdAt' as const, condition: allOf(created) }]),
  ]
}

/** All filters of a query as conditions on `token`. */
export function conditionsOf(query: TokenFilters): readonly RawBuilder<unknown>[] {
  const { status, creator, launchpad } = query
  return [
    ...(status === undefined ? [] : [sql`token.graduation_status = any(${[...status]}::text[])`]),
    ...(creator === undefined ? [] : [sql`token.creator = ${toBytes(creator)}`]),
    ...(launchpad === undefined ? [] : [sql`token.launchpad = any(${[...launchpad]}::text[])`]),
    ...boundsOf(query).map(({ condition }) => condition),
  ]
}

/** The conjunction of conditions; `true` without any. */
export function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)
}

interface Selectivity {
  /** The bound that lets the fewest tokens through; `null`: each lets more through than a page looks at. */
  readonly narrowest: TokenBound | null
  /** Pairs of launchpad and status that the filters let through. */
  readonly parts: number
}

/** Counts what each bound lets through, up to what a page looks at. */
export async function readSelectivity(db: Queryable, query: TokenFilters, bounds: readonly TokenBound[]): Promise<Selectivity> {
  const counts = bounds.map(
    bound =>
      sql`(select count(*) from (select from ${tokensWithin(bound, MAX_TOKENS_FILTERED + 1)} limit ${sql.lit(MAX_TOKENS_FILTERED + 1)}) as found)`,
  )
  const { rows } = await sql<{ parts: number; counts: readonly number[] }>`
    ${withParts(query)} select (select count(*) from part)::integer as parts, array[${sql.join(counts)}]::integer[] as counts`.execute(db)
  const { parts, counts: found } = rows[0] ?? { parts: 0, counts: [] }
  const fewest = Math.min(...found)
  return { narrowest: fewest <= MAX_TOKENS_FILTERED ? (bounds[found.indexOf(fewest)] ?? null) : null, parts }
}

/**
 * Tokens of every `part` that a bound lets through, from the bound's own index: the `order by` keeps the planner from using another one.
 */
export function tokensWithin({ sort, condition }: TokenBound, most: number): RawBuilder<unknown> {
  return sql`part cross join lateral (
    select * from token where ${OF_PART} and ${condition} order by ${sortColumn(sort).column} desc limit ${sql.lit(most)}
  ) as token`
}
