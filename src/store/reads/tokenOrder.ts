import { type RawBuilder, sql } from 'kysely'
import type { TokenCursor, TokenSort, TokensQuery } from '#resources/tokens.ts'
import { toBytes } from '#tables/toBytes.ts'
import { FULL_TOKEN, type FullTokenRow } from '#tables/token.ts'

interface Sort {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  readonly nullable: boolean
}

/**
 * Each column has an index that begins with launchpad and status: for every such pair, a page is a range of the index. A creator's tokens
 * are found in an index that includes all of these columns, and are sorted.
 */
const SORTS: Readonly<Record<TokenSort, Sort>> = {
  createdAt: sortBy('createdAt'),
  marketCap: sortBy('marketCapWeth'),
  volume5m: sortBy('volumeM5'),
  volume1h: sortBy('volumeH1'),
  volume24h: sortBy('volumeH24'),
  priceChange5m: sortBy('priceChangeM5'),
  priceChange1h: sortBy('priceChangeH1'),
  priceChange24h: sortBy('priceChangeH24'),
  liquidity: sortBy('liquidityWeth'),
  holders: sortBy('holderCount'),
  trades5m: sortBy('tradesM5'),
  trades1h: sortBy('tradesH1'),
  trades24h: sortBy('tradesH24'),
  lastTradeAt: sortBy('lastTradeAt'),
  graduation: sortBy('graduationPercent'),
  migratedAt: sortBy('migratedAt'),
  trending: sortBy('trending'),
}

function sortBy(field: keyof FullTokenRow): Sort {
  const column = FULL_TOKEN.columns.find(one => one.field === field)
  if (column === undefined) throw new TypeError(`token has no ${field}`)
  return { column: sql.ref(`token.${column.name}`), type: sql.raw(column.type.getColumnType()), nullable: column.nullable }
}

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
export function tokenOrder({ sort, order, cursor }: Pick<TokensQuery, 'sort' | 'order' | 'cursor'>, hasValue: boolean) {
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
