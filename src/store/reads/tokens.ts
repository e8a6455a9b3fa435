import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Page } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import type { TokenCursor, TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'
import { type AsOf, readAsOf } from './asOf.ts'
import { pageOf } from './pageOf.ts'
import type { TokenCache, TokenVersion } from './tokenCache.ts'
import { allOf, boundsOf, conditionsOf, MAX_TOKENS_FILTERED, readSelectivity, tokensWithin } from './tokenFilters.ts'
import { sortColumn, tokenOrder } from './tokenOrder.ts'
import { OF_PART, withParts } from './tokenParts.ts'
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
