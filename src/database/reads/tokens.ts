import { type RawBuilder, sql } from 'kysely'
import { toBytes } from '#database/bytes.ts'
import type { Queryable } from '#database/queryable.ts'
import type { Address } from '#domain/address.ts'
import type { Page, TokenCursor, TokenSort, TokensQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import { ofPart, withParts } from './tokenParts.ts'
import { MAIN_POOL, TOKEN_COLUMNS, type TokenRow, toToken } from './tokenRow.ts'

interface Sort {
  readonly column: RawBuilder<unknown>
  /** The column's type, as which a cursor's value is read back. */
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/**
 * Each column stands in two indexes, behind launchpad and status and behind creator, launchpad and status, with the address at the end: a page is
 * a stretch of the index per part that the filters leave.
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
  const { column, type, nullable } = SORTS[query.sort]
  const { cursor } = query
  const direction = query.order === 'desc' ? sql`desc` : sql`asc`
  const conditions = nullable ? [sql`${column} is not null`] : []
  if (cursor !== undefined) {
    const beyond = query.order === 'desc' ? sql`<` : sql`>`
    const [behind, of] = prefixOf(query)
    conditions.push(sql`(${behind}${column}, token.address) ${beyond} (${of}${cursor.value}::${type}, ${toBytes(cursor.address)}::bytea)`)
  }
  return readListed(db, query, { conditions, direction, addressDirection: direction, count })
}

async function readWithoutValue(db: Queryable, query: TokensQuery, count: number): Promise<ListedRow[]> {
  const { cursor } = query
  const conditions = [sql`${SORTS[query.sort].column} is null`]
  if (cursor?.value === null) conditions.push(sql`token.address > ${toBytes(cursor.address)}::bytea`)
  return readListed(db, query, { conditions, direction: sql`asc`, addressDirection: sql`asc`, count })
}

/**
 * What stands before a cursor's value on both sides of the comparison. A creator's cursor names the creator's index from its first column on: where
 * many have the same value, the planner takes few to be beyond it and finds the index of all creators as good.
 */
function prefixOf({ creator, addresses }: TokensQuery): readonly [RawBuilder<unknown>, RawBuilder<unknown>] {
  if (creator === undefined || addresses !== undefined) return [sql``, sql``]
  return [
    sql`token.creator, token.launchpad, token.graduation_status, `,
    sql`${toBytes(creator)}::bytea, part.launchpad, part.graduation_status, `,
  ]
}

interface Stretch {
  readonly conditions: readonly RawBuilder<unknown>[]
  readonly direction: RawBuilder<unknown>
  readonly addressDirection: RawBuilder<unknown>
  readonly count: number
}

/** The first tokens of a stretch of the sort's order, of all that the filters leave. */
async function readListed(db: Queryable, query: TokensQuery, stretch: Stretch): Promise<ListedRow[]> {
  const { column } = SORTS[query.sort]
  const order = (value: RawBuilder<unknown>, address: RawBuilder<unknown>) =>
    sql`order by ${value} ${stretch.direction}, ${address} ${stretch.addressDirection}`
  const found = (conditions: readonly RawBuilder<unknown>[]) => sql`
    select token.address, ${column} as value from token
    where ${sql.join([...conditions, ...stretch.conditions], sql` and `)} ${order(column, sql`token.address`)} limit ${stretch.count}`
  const { rows } = await sql<ListedRow>`
    ${query.addresses === undefined ? withParts(query) : sql``}
    select ${TOKEN_COLUMNS}, listed.value::text as sort_value
    from (${
      query.addresses === undefined
        ? sql`select best.* from part cross join lateral (${found([ofPart(query)])}) as best
          ${order(sql`best.value`, sql`best.address`)} limit ${stretch.count}`
        : found(ofAddresses(query, query.addresses))
    }) as listed
    join token on token.address = listed.address ${MAIN_POOL}
    ${order(sql`listed.value`, sql`listed.address`)}`.execute(db)
  return rows
}

function ofAddresses({ status, creator, launchpad }: TokensQuery, addresses: readonly Address[]): readonly RawBuilder<unknown>[] {
  const conditions = [sql`token.address = any(${addresses.map(toBytes)}::bytea[])`]
  if (status !== undefined) conditions.push(sql`token.graduation_status = ${status}`)
  if (creator !== undefined) conditions.push(sql`token.creator = ${toBytes(creator)}`)
  if (launchpad !== undefined) conditions.push(sql`token.launchpad = ${launchpad}`)
  return conditions
}
