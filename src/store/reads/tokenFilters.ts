import { type RawBuilder, sql } from 'kysely'
import { weiFrom } from '#domain/tradeSize.ts'
import type { TokenFilters, TokenSort } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { sortColumn } from './tokenOrder.ts'
import { OF_PART, withParts } from './tokenParts.ts'

/** The most tokens that a page looks at if no index covers all of its filters. */
export const MAX_TOKENS_FILTERED = 1_000

/** A filter besides launchpad and status, with which every index of lists begins. */
export interface TokenBound {
  /** The index in which the tokens that it lets through are a range: that of a sort, or the one by surface; `null`: none. */
  readonly index: TokenSort | 'surface' | null
  readonly condition: RawBuilder<unknown>
}

/** Filters of a query that are no bounds: the parts of a list by status and launchpad, and tokens that are looked up. */
type OtherFilter = 'status' | 'launchpad' | 'creator' | 'addresses'
type BoundFilters = Required<Omit<TokenFilters, OtherFilter>>

/** The bound of each filter. Amounts in WETH are compared in wei. */
const BOUNDS: { readonly [Name in keyof BoundFilters]: (value: BoundFilters[Name]) => TokenBound } = {
  minMarketCap: value => atLeast('marketCap', sql`${value}::numeric`),
  minLiquidity: value => atLeast('liquidity', sql`${value}::numeric`),
  minVolume24h: value => atLeast('volume24h', sql`${weiFrom(value).toString()}::numeric`),
  minHolders: value => atLeast('holders', sql`${value}::integer`),
  minGraduation: value => atLeast('graduation', sql`${value}::double precision`),
  createdAfter: time => ({ index: 'createdAt', condition: sql`token.created_at > ${time}::bigint` }),
  createdBefore: time => ({ index: 'createdAt', condition: sql`token.created_at < ${time}::bigint` }),
  surface: name => ({ index: 'surface', condition: sql`token.surface = ${name.toLowerCase()}` }),
  maxSniperPercent: percent => holdsAtMost(percent, 'sniper_held'),
  maxBundlerPercent: percent => holdsAtMost(percent, 'bundler_held'),
  maxInsiderPercent: percent => holdsAtMost(percent, 'insider_held'),
  maxCreatorPercent: percent => holdsAtMost(percent, 'creator_held'),
}
const BOUND_NAMES = Object.keys(BOUNDS) as readonly (keyof BoundFilters)[]

/** The bounds of a query: one for each index, and one for the filters without an index. */
export function boundsOf(query: TokenFilters): readonly TokenBound[] {
  const bounds = BOUND_NAMES.flatMap(name => (query[name] === undefined ? [] : [BOUNDS[name](query[name] as never)]))
  return [...Map.groupBy(bounds, ({ index }) => index)].map(([index, of]) => ({ index, condition: allOf(of.map(one => one.condition)) }))
}

function atLeast(sort: TokenSort, value: RawBuilder<unknown>): TokenBound {
  return { index: sort, condition: sql`${sortColumn(sort).column} >= ${value}` }
}

/** Compares the share in millionths, as `percentOf` rounds it. There is no index by shares, since most tokens are below a limit. */
function holdsAtMost(percent: number, column: string): TokenBound {
  const held = sql`least(div(${sql.ref(`token.${column}`)} * 1000000, nullif(token.total_supply, 0)), 1000000)`
  // PostgreSQL's `least` ignores nulls.
  const isKnown = sql`${sql.ref(`token.${column}`)} is not null and token.total_supply <> 0`
  return { index: null, condition: sql`(${isKnown} and ${held} <= ${String(percent)}::numeric * 10000)` }
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

/** Counts the tokens that each bound lets through, up to the number that a page looks at. */
export async function readSelectivity(db: Queryable, query: TokenFilters, bounds: readonly TokenBound[]): Promise<Selectivity> {
  const indexed = bounds.filter(({ index }) => index !== null)
  const counts = indexed.map(
    bound =>
      sql`(select count(*) from (select from ${tokensWithin(bound, MAX_TOKENS_FILTERED + 1)} limit ${sql.lit(MAX_TOKENS_FILTERED + 1)}) as found)`,
  )
  const { rows } = await sql<{ parts: number; counts: readonly number[] }>`
    ${withParts(query)} select (select count(*) from part)::integer as parts, array[${sql.join(counts)}]::integer[] as counts`.execute(db)
  const { parts, counts: found } = rows[0] ?? { parts: 0, counts: [] }
  const fewest = Math.min(...found)
  return { narrowest: fewest <= MAX_TOKENS_FILTERED ? (indexed[found.indexOf(fewest)] ?? null) : null, parts }
}

/**
 * SQL of the tokens of every `part` that a bound lets through, from the bound's own index. The `order by` keeps the planner from using
 * another index. The index by surface has all columns of the condition, so that no other one is cheaper.
 */
export function tokensWithin({ index, condition }: TokenBound, most: number): RawBuilder<unknown> {
  const order = index === null || index === 'surface' ? sql`` : sql`order by ${sortColumn(index).column} desc`
  return sql`part cross join lateral (
    select * from token where ${OF_PART} and ${condition} ${order} limit ${sql.lit(most)}
  ) as token`
}
