import { sql } from 'kysely'
import { toBytes } from '#database/bytes.ts'
import type { Queryable } from '#database/queryable.ts'
import type { Hex } from '#domain/address.ts'
import type { SearchQuery } from '#domain/queries.ts'
import type { Token } from '#domain/token.ts'
import { MAIN_POOL, TOKEN_COLUMNS, type TokenRow, toToken } from './tokenRow.ts'

/** Fewer letters resemble everything, and who types an address does not want what resembles it. */
const LEAST_SIMILAR_LENGTH = 3
const ADDRESS_LENGTH = 42
const ADDRESS_LIKE = /^0x[0-9a-f]{4,}$/i

/**
 * The tokens that fit a text best, in whatever case: by address prefix, then by exact symbol, symbol prefix, name prefix, then by likeness
 * of symbol or name or of a word in the name (pg_trgm, its default thresholds). Ties by market cap, then address. Each way is one look-up in its
 * own index and gives at most `limit` rows: a row that a better way has given too leaves none of the best out.
 */
export async function readSearch(db: Queryable, query: SearchQuery, chainId: number): Promise<readonly Token[]> {
  const text = query.q.trim()
  // PostgreSQL's text can't hold NUL, so no symbol or name does.
  if (text === '' || text.includes('\0')) return []
  const best = sql`order by market_cap_weth desc nulls last, address limit ${query.limit}::integer`
  const ways = [
    sql`select address, 1 as way, 0::real as likeness from token where lower(symbol) = lower(${text}) ${best}`,
    sql`select address, 2, 0 from token where lower(symbol) like lower(${`${escapeLike(text)}%`}) ${best}`,
    sql`select address, 3, 0 from token where lower(name) like lower(${`${escapeLike(text)}%`}) ${best}`,
  ]
  if (ADDRESS_LIKE.test(text)) {
    const [first, last] = addressRange(text)
    if (text.length <= ADDRESS_LENGTH) {
      ways.push(sql`select address, 0, 0 from token where address between ${toBytes(first)} and ${toBytes(last)} ${best}`)
    }
  } else if ([...text].length >= LEAST_SIMILAR_LENGTH) {
    ways.push(sql`select address, 4, ${likeness(text)} from token
      where lower(symbol) % lower(${text}) or lower(name) % lower(${text}) or lower(name) %> lower(${text})
      order by ${likeness(text)} desc, market_cap_weth desc nulls last, address limit ${query.limit}::integer`)
  }
  const { rows } = await sql<TokenRow>`
    with found as (${sql.join(
      ways.map(way => sql`(${way})`),
      sql` union all `,
    )}),
    best as (select distinct on (address) address, way, likeness from found order by address, way)
    select ${TOKEN_COLUMNS} from best join token on token.address = best.address ${MAIN_POOL}
    order by best.way, best.likeness desc, token.market_cap_weth desc nulls last, token.address limit ${query.limit}`.execute(db)
  return rows.map(row => toToken(row, chainId))
}

function likeness(text: string) {
  return sql`greatest(similarity(lower(symbol), lower(${text})), similarity(lower(name), lower(${text})), word_similarity(lower(${text}), lower(name)))`
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&')
}

/** The first and the last address that begin with these digits, of which there may be an odd number. */
function addressRange(prefix: string): readonly [Hex, Hex] {
  const digits = prefix.slice(2)
  return [`0x${digits.padEnd(40, '0')}`, `0x${digits.padEnd(40, 'f')}`]
}
