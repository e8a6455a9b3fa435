import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Page, TokenCursor, TokenSort, TokensQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { FULL_TOKEN, type FullTokenRow } from '#tables/token.ts'
import { type AsOf, readAsOf } from './asOf.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'

interface Sort {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/**
 * Each column has an index of its own after launchpad and status: of every such pair a page is a range of the index. A creator's tokens are
 * found in an index that includes all of these columns, and sorted.
 */
const SORTS: Readonly<Record<TokenSort, Sort>> = {
  createdAt: sortBy('createdAt'),
  marketCap: sortBy('marketCapWeth'),
  volume24h: sortBy('volumeH24'),
  priceChange24h: sortBy('priceChangeH24'),
  priceChange1h: sortBy('priceChangeH1'),
  liquidity: sortBy('liquidityWeth'),
  holders: sortBy('holderCount'),
  trades24h: sortBy('tradesH24'),
  lastTradeAt: sortBy('lastTradeAt'),
  graduation: sortBy('graduationPercent'),
}

function sortBy(field: keyof FullTokenRow): Sort {
  const column = FULL_TOKEN.columns.find(one => one.field === field)
  if (column === undefined) throw new TypeError(`token has no ${field}`)
  return { column: sql.ref(`token.${column.name}`), type: sql.raw(column.type.getColumnType()), nullable: column.nullable }
}

type ListedRow = SelectedToken & { readonly sort_value: string | null }

/**
 * One page of tokens: first those with a value in the sort's column, in the requested order with ties by address in the same direction,
 * then those without, by ascending address.
 */
export async function readTokens(db: Queryable, query: TokensQuery, chainId: number): Promise<Page<Token, TokenCursor>> {
  const wanted = query.limit + 1
  const valued = query.cursor?.value === null ? null : await readListed(db, query, true, wanted)
  const missing = wanted - (valued?.rows.length ?? 0)
  const valueless = missing > 0 && SORTS[query.sort].nullable ? await readListed(db, query, false, missing) : null
  const rows = [...(valued?.rows ?? []), ...(valueless?.rows ?? [])]
  const data = rows.slice(0, query.limit).map(row => ({ token: toToken(row, chainId), value: row.sort_value }))
  const last = data.at(-1)
  return {
    data: data.map(({ token }) => token),
    next: rows.length > query.limit && last !== undefined ? { value: last.value, address: last.token.address } : null,
    asOfBlock: (valued ?? valueless)?.asOfBlock ?? null,
  }
}

export async function readToken(db: Queryable, address: Address, chainId: number): Promise<Token | null> {
  const { rows } = await sql<SelectedToken>`
    select ${SELECTED_TOKEN} from token ${MAIN_POOL} where token.address = ${toBytes(address)}`.execute(db)
  return rows[0] === undefined ? null : toToken(rows[0], chainId)
}

/** Tells a token without rows from an address that is no indexed token. */
export async function isIndexed(db: Queryable, token: Address): Promise<boolean> {
  const { rows } = await sql`select from token where address = ${toBytes(token)}`.execute(db)
  return rows.length > 0
}

/** The next tokens with or without a value in the sort's column. Those without are in ascending order. */
async function readListed(db: Queryable, query: TokensQuery, hasValue: boolean, count: number): Promise<AsOf<ListedRow>> {
  const { column, type, nullable } = SORTS[query.sort]
  const { cursor } = query
  const isDescending = hasValue && query.order === 'desc'
  const direction = isDescending ? sql`desc` : sql`asc`
  const orderedBy = (value: RawBuilder<unknown>, address: RawBuilder<unknown>) =>
    sql`order by ${value} ${direction}, ${address} ${direction}`
  const within = (value: RawBuilder<unknown>, address: RawBuilder<unknown>) => {
    const conditions = hasValue ? (nullable ? [sql`${value} is not null`] : []) : [sql`${value} is null`]
    if (hasValue && cursor !== undefined) {
      const beyond = isDescending ? sql`<` : sql`>`
      conditions.push(sql`(${value}, ${address}) ${beyond} (${cursor.value}::${type}, ${toBytes(cursor.address)}::bytea)`)
    }
    if (!hasValue && cursor?.value === null) conditions.push(sql`${address} > ${toBytes(cursor.address)}::bytea`)
    return conditions
  }
  const stored = [column, sql`token.address`] as const
  const found = [sql`found.value`, sql`found.address`] as const
  const select = sql`select token.address, ${column} as value from ${tokensAmong(query.addresses)} where`
  const isNarrow = query.addresses !== undefined || query.creator !== undefined
  // A few tokens are all read, then sorted. "offset 0" keeps the planner from searching them in an index of all tokens.
  const listed = isNarrow
    ? sql`select * from (${select} ${allOf(conditionsOf(query))} offset 0) as found where ${allOf(within(...found))}`
    : sql`select found.* from part cross join lateral (
        ${select} ${allOf([OF_PART, ...within(...stored)])} ${orderedBy(...stored)} limit ${count}
      ) as found`
  return readAsOf(
    db,
    sql<ListedRow>`
    ${isNarrow ? sql`` : withParts(query)}
    select ${SELECTED_TOKEN}, listed.value::text as sort_value
    from (${listed} ${orderedBy(...found)} limit ${count}) as listed
    join token on token.address = listed.address ${MAIN_POOL}
    ${orderedBy(sql`listed.value`, sql`listed.address`)}`,
  )
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)
}

/** A look-up per address: for `= any(…)` PostgreSQL 15 prefers to scan an index of some thousand tokens. */
function tokensAmong(addresses: TokensQuery['addresses']): RawBuilder<unknown> {
  if (addresses === undefined) return sql`token`
  return sql`(select distinct unnest(${addresses.map(toBytes)}::bytea[]) as address) as asked
    cross join lateral (select * from token where token.address = asked.address offset 0) as token`
}

function conditionsOf({ status, creator, launchpad }: TokensQuery): readonly RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  if (status !== undefined) conditions.push(sql`token.graduation_status = ${status}`)
  if (creator !== undefined) conditions.push(sql`token.creator = ${toBytes(creator)}`)
  if (launchpad !== undefined) conditions.push(sql`token.launchpad = ${launchpad}`)
  return conditions
}
