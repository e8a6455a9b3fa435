import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Page, TokenCursor, TokenSort, TokensQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#store/rows/bytes.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { MAIN_POOL, TOKEN_COLUMNS, type TokenRow, toToken } from './tokenRow.ts'

interface Sort {
  readonly column: RawBuilder<unknown>
  /** The column's type, as which a cursor's value is read back. */
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/**
 * Each column stands in an index of its own behind launchpad and status, with the address at the end: a page is a stretch of the index per part that the
 * filters leave. A creator's tokens are found in an index that holds all of these columns, and sorted.
 */
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
  const { type, nullable } = SORTS[query.sort]
  const { cursor } = query
  const direction = query.order === 'desc' ? sql`desc` : sql`asc`
  const within: Stretch['within'] = ({ value, address }) => {
    const conditions = nullable ? [sql`${value} is not null`] : []
    if (cursor !== undefined) {
      const beyond = query.order === 'desc' ? sql`<` : sql`>`
      conditions.push(sql`(${value}, ${address}) ${beyond} (${cursor.value}::${type}, ${toBytes(cursor.address)}::bytea)`)
    }
    return conditions
  }
  return readListed(db, query, { within, direction, addressDirection: direction, count })
}

async function readWithoutValue(db: Queryable, query: TokensQuery, count: number): Promise<ListedRow[]> {
  const { cursor } = query
  const within: Stretch['within'] = ({ value, address }) => {
    const conditions = [sql`${value} is null`]
    if (cursor?.value === null) conditions.push(sql`${address} > ${toBytes(cursor.address)}::bytea`)
    return conditions
  }
  return readListed(db, query, { within, direction: sql`asc`, addressDirection: sql`asc`, count })
}

/** The columns that an order goes by. */
interface Ordered {
  readonly value: RawBuilder<unknown>
  readonly address: RawBuilder<unknown>
}

interface Stretch {
  readonly within: (of: Ordered) => readonly RawBuilder<unknown>[]
  readonly direction: RawBuilder<unknown>
  readonly addressDirection: RawBuilder<unknown>
  readonly count: number
}

/** The first tokens of a stretch of the sort's order, of all that the filters leave. */
async function readListed(db: Queryable, query: TokensQuery, stretch: Stretch): Promise<ListedRow[]> {
  const ordered = ({ value, address }: Ordered) => sql`order by ${value} ${stretch.direction}, ${address} ${stretch.addressDirection}`
  const stored = { value: SORTS[query.sort].column, address: sql`token.address` }
  const found = { value: sql`found.value`, address: sql`found.address` }
  const select = sql`select token.address, ${stored.value} as value from ${tokensAmong(query.addresses)} where`
  const isNarrow = query.addresses !== undefined || query.creator !== undefined
  // Of few tokens all are read and sorted; `offset 0` keeps the planner from looking for them in the order of everybody's.
  const listed = isNarrow
    ? sql`select * from (${select} ${allOf(conditionsOf(query))} offset 0) as found where ${allOf(stretch.within(found))}`
    : sql`select found.* from part cross join lateral (
        ${select} ${allOf([OF_PART, ...stretch.within(stored)])} ${ordered(stored)} limit ${stretch.count}
      ) as found`
  const { rows } = await sql<ListedRow>`
    ${isNarrow ? sql`` : withParts(query)}
    select ${TOKEN_COLUMNS}, listed.value::text as sort_value
    from (${listed} ${ordered(found)} limit ${stretch.count}) as listed
    join token on token.address = listed.address ${MAIN_POOL}
    ${ordered({ value: sql`listed.value`, address: sql`listed.address` })}`.execute(db)
  return rows
}

function allOf(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)
}

/** Each address is looked up: asked for any of them, PostgreSQL 15 prefers to read an index of some thousand tokens. */
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
