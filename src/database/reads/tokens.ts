import { type RawBuilder, sql } from 'kysely'
import { toBytes } from '#database/bytes.ts'
import type { Queryable } from '#database/queryable.ts'
import type { Address } from '#domain/address.ts'
import type { Page, TokenCursor, TokenSort, TokensQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import { MAIN_POOL, TOKEN_COLUMNS, type TokenRow, toToken } from './tokenRow.ts'

interface Sort {
  readonly column: RawBuilder<unknown>
  /** The column's type, as which a cursor's value is read back. */
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/** Each column leads an index that ends with the address, so that a page is a stretch of that index in either direction. */
const SORTS: Readonly<Record<TokenSort, Sort>> = {
  createdAt: { column: sql`token.created_at`, type: sql`bigint`, nullable: false },
  marketCap: { column: sql`token.market_cap_weth`, type: sql`numeric`, nullable: true },
  volume24h: { column: sql`token.volume_h24`, type: sql`numeric`, nullable: false },
  priceChange24h: { column: sql`token.price_change_h24`, type: sql`double precision`, nullable: true },
  priceChange1h: { column: sql`token.price_change_h1`, type: sql`double precision`, nullable: true },
  liquidity: { column: sql`token.liquidity_weth`, type: sql`numeric`, nullable: true },
  holders: { column: sql`token.holder_count`, type: sql`integer`, nullable: false },
  trades24h: { column: sql`token.trades_h24`, type: sql`integer`, nullable: false },
  lastTradeAt: { column: sql`token.last_trade_at`, type: sql`bigint`, nullable: true },
  graduation: { column: sql`token.graduation_percent`, type: sql`double precision`, nullable: true },
}

type ListedRow = TokenRow & { readonly sort_value: string | null }

/**
 * One page of tokens: first those with a value of the sort, in the asked order with ties by address in the same direction, then those without
 * one, by rising address.
 */
export async function readTokens(db: Queryable, query: TokensQuery, chainId: number): Promise<Page<Token, TokenCursor>> {
  const wanted = query.limit + 1
  const rows = query.cursor?.value === null ? [] : await readWithValue(db, query, wanted)
  if (rows.length < wanted && SORTS[query.sort].nullable) rows.push(...(await readWithoutValue(db, query, wanted - rows.length)))
  const data = rows.slice(0, query.limit).map(row => ({ token: toToken(row, chainId), value: row.sort_value }))
  const last = data.at(-1)
  return {
    data: data.map(({ token }) => token),
    next: rows.length > query.limit && last !== undefined ? { value: last.value, address: last.token.address } : null,
  }
}

export async function readToken(db: Queryable, address: Address, chainId: number): Promise<Token | null> {
  const { rows } = await sql<TokenRow>`
    select ${TOKEN_COLUMNS} from token ${MAIN_POOL} where token.address = ${toBytes(address)}`.execute(db)
  return rows[0] === undefined ? null : toToken(rows[0], chainId)
}

async function readWithValue(db: Queryable, query: TokensQuery, count: number): Promise<ListedRow[]> {
  const { column, type, nullable } = SORTS[query.sort]
  const { cursor } = query
  const descending = query.order === 'desc'
  const conditions = filters(query)
  if (nullable) conditions.push(sql`${column} is not null`)
  if (cursor !== undefined) {
    const beyond = descending ? sql`<` : sql`>`
    conditions.push(sql`(${column}, token.address) ${beyond} (${cursor.value}::${type}, ${toBytes(cursor.address)}::bytea)`)
  }
  const direction = descending ? sql`desc` : sql`asc`
  const { rows } = await sql<ListedRow>`
    select ${TOKEN_COLUMNS}, ${column}::text as sort_value from token ${MAIN_POOL} ${where(conditions)}
    order by ${column} ${direction}, token.address ${direction} limit ${count}`.execute(db)
  return rows
}

async function readWithoutValue(db: Queryable, query: TokensQuery, count: number): Promise<ListedRow[]> {
  const { cursor } = query
  const { column } = SORTS[query.sort]
  const conditions = [...filters(query), sql`${column} is null`]
  if (cursor?.value === null) conditions.push(sql`token.address > ${toBytes(cursor.address)}::bytea`)
  // The order names the column, which is null, because the planner would not see that the index gives it.
  const { rows } = await sql<ListedRow>`
    select ${TOKEN_COLUMNS}, null as sort_value from token ${MAIN_POOL} ${where(conditions)}
    order by ${column}, token.address limit ${count}`.execute(db)
  return rows
}

function filters({ status, creator, launchpad, addresses }: TokensQuery): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  if (status !== undefined) conditions.push(sql`token.graduation_status = ${status}`)
  if (creator !== undefined) conditions.push(sql`token.creator = ${toBytes(creator)}`)
  if (launchpad !== undefined) conditions.push(sql`token.launchpad = ${launchpad}`)
  if (addresses !== undefined) conditions.push(sql`token.address = any(${addresses.map(toBytes)}::bytea[])`)
  return conditions
}

function where(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}
