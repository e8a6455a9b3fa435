import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { weiFrom } from '#domain/trade.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import { TOKEN_SORTS, type TokenCursor, type TokenFilters, type TokenSort, type TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp } from '#store/rows/insertRows.ts'
import { toBytes } from '#tables/columns.ts'
import { FULL_TOKEN, SORTED_BY } from '#tables/token.ts'
import { type AsOf, pageOf, readAsOf } from './page.ts'
import type { TokenCache, TokenVersion } from './tokenCache.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'

/** The columns that a list selects of each token. */
interface Selection<_Row> {
  readonly columns: RawBuilder<unknown>
  /** The joins after `join token …`. */
  readonly joins: RawBuilder<unknown>
}
const VERSIONS: Selection<TokenVersion> = { columns: sql`token.address, token.sequence`, joins: sql`` }
const WHOLE: Selection<SelectedToken> = { columns: SELECTED_TOKEN, joins: MAIN_POOL }

type ListedRow<Row> = Row & { readonly sort_value: string | null }

interface Listed<Row> extends AsOf<ListedRow<Row>> {
  /** Where a bounded search stopped before the end of the list; `null`: it did not stop early. */
  readonly end: TokenCursor | null
}

/** How the tokens of a list are found. */
type Source =
  /** All of them are read from `from`, then sorted. */
  | { readonly kind: 'few'; readonly from: RawBuilder<unknown> }
  /** They are ranges of the sort's index, which covers all filters. */
  | { readonly kind: 'indexRanges' }
  /** `each` tokens of each range of the sort's index are looked at, since the index does not cover all filters. */
  | { readonly kind: 'filtered'; readonly each: number }

/**
 * One page of tokens: first those with a value in the sort's column, in the requested order with ties by address in the same direction,
 * then those without, by ascending address. A page whose filters each let thousands of tokens through may have fewer than `limit`, even
 * none, and a next page.
 */
export async function readTokens(db: Queryable, query: TokensQuery, cache: TokenCache): Promise<Page<Token, TokenCursor>> {
  const { data: versions, ...page } = await readPage(db, query, VERSIONS)
  const tokens = await cache.at(versions)
  if (tokens !== null) return { ...page, data: tokens }
  // A commit came between the two reads.
  const whole = await readPage(db, query, WHOLE)
  return { ...whole, data: whole.data.map(row => toToken(row, cache.chainId)) }
}

async function readPage<Row extends { readonly address: Address }>(
  db: Queryable,
  query: TokensQuery,
  selection: Selection<Row>,
): Promise<Page<Row, TokenCursor>> {
  const { limit, cursor, sort } = query
  const source = await chooseSource(db, query)
  const wanted = limit + 1
  const valued = cursor?.value === null ? null : await readListed(db, query, source, selection, { hasValue: true, count: wanted })
  const isEnded = valued === null || valued.end === null
  const missing = isEnded ? wanted - (valued?.rows.length ?? 0) : 0
  const valueless =
    missing > 0 && sortColumn(sort).nullable ? await readListed(db, query, source, selection, { hasValue: false, count: missing }) : null
  const rows = [...(valued?.rows ?? []), ...(valueless?.rows ?? [])]
  const { shown, next } = pageOf(rows, limit, ({ sort_value: value, address }) => ({ value, address }))
  return {
    data: shown,
    next: next ?? valued?.end ?? valueless?.end ?? null,
    asOfBlock: (valued ?? valueless)?.asOfBlock ?? null,
  }
}

/** One token, without the USD values that depend on the present price of ETH; `null`: it is not indexed. */
export async function readToken(db: Queryable, address: Address, chainId: number): Promise<Token | null> {
  const { rows } = await sql<SelectedToken>`
    select ${SELECTED_TOKEN} from token ${MAIN_POOL} where token.address = ${toBytes(address)}`.execute(db)
  return rows[0] === undefined ? null : toToken(rows[0], chainId)
}

/** Whether an address is an indexed token, which may have no rows of a list. */
export async function isIndexed(db: Queryable, token: Address): Promise<boolean> {
  const { rows } = await sql`select from token where address = ${toBytes(token)}`.execute(db)
  return rows.length > 0
}

/** Chooses how a list's tokens are found, for all of its pages. */
export async function chooseSource(db: Queryable, query: TokensQuery): Promise<Source> {
  if (query.addresses !== undefined) return { kind: 'few', from: tokensAmong(query.addresses) }
  if (query.creator !== undefined) return { kind: 'few', from: tokensBy(query.creator) }
  const bounds = boundsOf(query)
  if (bounds.every(({ index }) => index === query.sort)) return { kind: 'indexRanges' }
  const { narrowest, parts } = await readSelectivity(db, query, bounds)
  // The limit is twice the counted number, since new tokens may have come since.
  if (narrowest !== null) return { kind: 'few', from: tokensWithin(narrowest, 2 * MAX_TOKENS_FILTERED) }
  return { kind: 'filtered', each: Math.ceil(MAX_TOKENS_FILTERED / parts) }
}

/** Whether a statement needs `withParts`. */
export function isFromParts({ addresses, creator }: TokensQuery): boolean {
  return addresses === undefined && creator === undefined
}

interface Part {
  /** Whether the tokens have a value in the sort's column. */
  readonly hasValue: boolean
  readonly count: number
}

/** The next tokens with or without a value in the sort's column. */
async function readListed<Row>(
  db: Queryable,
  query: TokensQuery,
  source: Source,
  selection: Selection<Row>,
  part: Part,
): Promise<Listed<Row>> {
  if (source.kind === 'filtered') return readFiltered(db, query, source.each, selection, part)
  const { hasValue, count } = part
  const { nearestFirst, within } = tokenOrder(query, hasValue)
  const { column } = sortColumn(query.sort)
  const stored = [column, sql`token.address`] as const
  const found = [sql`found.value`, sql`found.address`] as const
  // "offset 0" keeps the planner from searching a few tokens in an index of all.
  const listed =
    source.kind === 'few'
      ? sql`select * from (
          select token.address, ${column} as value from ${source.from} where ${allOf(conditionsOf(query))} offset 0
        ) as found where ${allOf(within(found))}`
      : sql`select found.* from part cross join lateral (
          select token.address, ${column} as value from token
          where ${allOf([OF_PART, ...boundsOf(query).map(({ condition }) => condition), ...within(stored)])}
          order by ${nearestFirst(stored)} limit ${count}
        ) as found`
  const page = await readAsOf(
    db,
    sql<ListedRow<Row>>`
    ${isFromParts(query) ? withParts(query) : sql``}
    select ${selection.columns}, listed.value::text as sort_value
    from (${listed} order by ${nearestFirst(found)} limit ${count}) as listed
    ${tokenAt(sql`listed.address`)} ${selection.joins}
    order by ${nearestFirst([sql`listed.value`, sql`listed.address`])}`,
  )
  return { ...page, end: null }
}

type FilteredRow<Row> = { readonly end_value: string | null; readonly end_address: Address | null } & (
  | (ListedRow<Row> & { readonly isFound: true })
  | { readonly isFound: null }
)

/** Looks at `each` tokens of each range of the sort's index, and lists those that the filters let through. */
async function readFiltered<Row>(
  db: Queryable,
  query: TokensQuery,
  each: number,
  selection: Selection<Row>,
  { hasValue, count }: Part,
): Promise<Listed<Row>> {
  const { nearestFirst, farthestFirst, within, notAfter } = tokenOrder(query, hasValue)
  const { column } = sortColumn(query.sort)
  const stored = [column, sql`token.address`] as const
  const looked = [sql`looked.value`, sql`looked.address`] as const
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<FilteredRow<Row>>`
    ${withParts(query)},
    looked as materialized (
      select part.*, entry.* from part cross join lateral (
        select token.address, ${column} as value, ${allOf(boundsOf(query).map(({ condition }) => condition))} as wanted from token
        where ${allOf([OF_PART, ...within(stored)])} order by ${nearestFirst(stored)} limit ${each}
      ) as entry
    ),
    -- Beyond the last token of a range that was not read to its end, others may come first.
    finish as (
      select * from (
        select distinct on (launchpad, graduation_status) value, address, count(*) over (partition by launchpad, graduation_status) as seen
        from looked order by launchpad, graduation_status, ${farthestFirst(looked)}
      ) as last
      where seen = ${each} order by ${nearestFirst([sql`value`, sql`address`])} limit 1
    ),
    page as (
      select looked.value, looked.address from looked left join finish on true
      where looked.wanted and (finish.address is null or ${notAfter(looked, [sql`finish.value`, sql`finish.address`])})
      order by ${nearestFirst(looked)} limit ${count}
    )
    select finish.value::text as end_value, finish.address as end_address, listed.*
    from (select) as one left join finish on true left join (
      select true as "isFound", ${selection.columns}, page.value::text as sort_value, page.value as page_value
      from page ${tokenAt(sql`page.address`)} ${selection.joins}
    ) as listed on true
    order by ${nearestFirst([sql`listed.page_value`, sql`listed.address`])}`,
  )
  const { end_value: value = null, end_address: address = null } = rows[0] ?? {}
  const found = rows.filter(row => row.isFound === true)
  return { rows: found, end: address === null ? null : { value, address }, asOfBlock }
}

/** Looks each address up by itself: for `= any(…)`, PostgreSQL 15 prefers to scan an index of some thousand tokens. */
function tokensAmong(addresses: readonly Address[]): RawBuilder<unknown> {
  return sql`(select distinct unnest(${addresses.map(toBytes)}::bytea[]) as address) as asked
    ${tokenAt(sql`asked.address`)}`
}

/** "offset 0" keeps the planner from reading all tokens that another filter lets through. */
function tokensBy(creator: Address): RawBuilder<unknown> {
  return sql`(select * from token where token.creator = ${toBytes(creator)} offset 0) as token`
}

function tokenAt(address: RawBuilder<unknown>): RawBuilder<unknown> {
  return lookUp('token', sql`token.address = ${address}`)
}

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
async function readSelectivity(db: Queryable, query: TokenFilters, bounds: readonly TokenBound[]): Promise<Selectivity> {
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
function tokensWithin({ index, condition }: TokenBound, most: number): RawBuilder<unknown> {
  const order = index === null || index === 'surface' ? sql`` : sql`order by ${sortColumn(index).column} desc`
  return sql`part cross join lateral (
    select * from token where ${OF_PART} and ${condition} ${order} limit ${sql.lit(most)}
  ) as token`
}

interface Sort {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/**
 * Each column has an index that begins with launchpad and status: for every such pair, a page is a range of the index. A creator's tokens
 * are found in an index that includes all of these columns, and are sorted.
 */
const SORTS = Object.fromEntries(
  TOKEN_SORTS.map((sort): [TokenSort, Sort] => {
    const column = FULL_TOKEN.columns.find(({ field }) => field === SORTED_BY[sort])
    if (column === undefined) throw new TypeError(`token has no ${SORTED_BY[sort]}`)
    return [sort, { column: sql.ref(`token.${column.name}`), type: sql.raw(column.type.getColumnType()), nullable: column.nullable }]
  }),
) as Readonly<Record<TokenSort, Sort>>

/** The column of a sort, in which some tokens may have no value. */
export function sortColumn(sort: TokenSort): Omit<Sort, 'type'> {
  return SORTS[sort]
}

/** SQL of a token's sort value and address. */
type Place = readonly [value: RawBuilder<unknown>, address: RawBuilder<unknown>]

/**
 * The order of the tokens with or without a value in the sort's column. Those with one are in the requested order, with ties by address in
 * the same direction. Those without one are ordered by ascending address.
 */
function tokenOrder({ sort, order, cursor }: Pick<TokensQuery, 'sort' | 'order' | 'cursor'>, hasValue: boolean) {
  const { type, nullable } = SORTS[sort]
  const isDescending = hasValue && order === 'desc'
  const [near, far] = isDescending ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const compared = ([value, address]: Place) => (hasValue ? sql`(${value}, ${address})` : address)
  const placeOf = ({ value, address }: TokenCursor): Place => [sql`${value}::${type}`, sql`${toBytes(address)}::bytea`]
  const isAfter = cursor !== undefined && (cursor.value !== null) === hasValue
  return {
    nearestFirst: ([value, address]: Place) => sql`${value} ${near}, ${address} ${near}`,
    farthestFirst: ([value, address]: Place) => sql`${value} ${far}, ${address} ${far}`,
    /** The conditions for rows of the list after the cursor. */
    within: (place: Place): readonly RawBuilder<unknown>[] => [
      ...(nullable || !hasValue ? [sql`${place[0]} is ${hasValue ? sql`not null` : sql`null`}`] : []),
      ...(isAfter ? [sql`${compared(place)} ${isDescending ? sql`<` : sql`>`} ${compared(placeOf(cursor))}`] : []),
    ],
    notAfter: (place: Place, end: Place) => sql`${compared(place)} ${isDescending ? sql`>=` : sql`<=`} ${compared(end)}`,
  }
}

/**
 * `with recursive … part (launchpad, graduation_status)`: the pairs of launchpad and status that tokens have and the filters let through.
 * The indexes of token lists begin with the pair, so that each part of a list is one range of an index. One look-up leads from a pair to
 * the next, so that the cost depends on the number of pairs, not of tokens.
 */
export function withParts({ launchpad, status }: Pick<TokenFilters, 'launchpad' | 'status'>): RawBuilder<unknown> {
  const next = (after: RawBuilder<unknown>) => sql`select token.launchpad, token.graduation_status from token ${after}
    order by token.launchpad, token.graduation_status limit 1`
  const kept = [
    sql`true`,
    ...(launchpad === undefined ? [] : [sql`launchpad = any(${[...launchpad]}::text[])`]),
    ...(status === undefined ? [] : [sql`graduation_status = any(${[...status]}::text[])`]),
  ]
  return sql`with recursive every (launchpad, graduation_status) as (
      (${next(sql``)})
      union all
      select following.* from every cross join lateral (
        ${next(sql`where (token.launchpad, token.graduation_status) > (every.launchpad, every.graduation_status)`)}
      ) as following
    ),
    part as materialized (select * from every where ${sql.join(kept, sql` and `)})`
}

export const OF_PART = sql`token.launchpad = part.launchpad and token.graduation_status = part.graduation_status`
