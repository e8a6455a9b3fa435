import { type RawBuilder, sql } from 'kysely'
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
 * So many candidates of a prefix are compared by market cap. Of a prefix that more tokens have, the candidates are as many of the largest tokens
 * of all and, where those do not fill the answer, the first by the alphabet.
 */
const MOST_CANDIDATES = 1_000
const MOST_MEASURED = 150

/**
 * The tokens that fit a text best, in whatever case: by address prefix, then by exact symbol, symbol prefix, name prefix, then by likeness
 * of symbol or name or of a word in the name (pg_trgm, its default thresholds). Ties by market cap, then address. A token that fits in several
 * ways counts by the best.
 */
export async function readSearch(db: Queryable, query: SearchQuery, chainId: number): Promise<readonly Token[]> {
  const text = query.q.trim()
  // PostgreSQL's text can't hold NUL, so no symbol or name does.
  if (text === '' || text.includes('\0')) return []
  const fitting = await readFitting(db, text, query.limit)
  const tokens = fitting.map(row => toToken(row, chainId))
  // Likeness comes after all other ways, and is dear.
  if (tokens.length === query.limit || ADDRESS_LIKE.test(text) || [...text].length < LEAST_SIMILAR_LENGTH) return tokens
  const similar = await readSimilar(db, text, query.limit)
  const found = new Set(tokens.map(({ address }) => address))
  const others = similar.map(row => toToken(row, chainId)).filter(({ address }) => !found.has(address))
  return [...tokens, ...others].slice(0, query.limit)
}

async function readFitting(db: Queryable, text: string, limit: number): Promise<readonly TokenRow[]> {
  const best = sql`order by market_cap_weth desc nulls last, address limit ${limit}::integer`
  const prefix = sql`lower(${`${escapeLike(text)}%`})`
  const candidates = (column: RawBuilder<unknown>) => sql`select address, market_cap_weth from token where ${column} like ${prefix}
    order by ${column} using ~<~ limit ${sql.lit(MOST_CANDIDATES)}`
  const either = (way: number, of: RawBuilder<unknown>, column: RawBuilder<unknown>) => [
    sql`select address, ${sql.lit(way)} from ${of} ${best}`,
    sql`select address, ${sql.lit(way)} from largest where (select count(*) from ${of}) = ${sql.lit(MOST_CANDIDATES)} and ${column} like ${prefix} ${best}`,
  ]
  const ways = [
    sql`select address, 1 as way from token where lower(symbol) = lower(${text}) ${best}`,
    ...either(2, sql`by_symbol`, sql`symbol`),
    ...either(3, sql`by_name`, sql`name`),
    ...(ADDRESS_LIKE.test(text) && text.length <= ADDRESS_LENGTH ? [sql`select address, 0 from by_address ${best}`] : []),
  ]
  const [first, last] = addressRange(ADDRESS_LIKE.test(text) ? text : '0x')
  const { rows } = await sql<TokenRow>`
    with by_symbol as materialized (${candidates(sql`lower(symbol)`)}),
      by_name as materialized (${candidates(sql`lower(name)`)}),
      by_address as materialized (
        select address, market_cap_weth from token where address between ${toBytes(first)} and ${toBytes(last)}
        order by address limit ${sql.lit(MOST_CANDIDATES)}
      ),
      largest as materialized (
        select address, market_cap_weth, lower(symbol) as symbol, lower(name) as name from token
        order by market_cap_weth desc nulls last, address limit ${sql.lit(MOST_CANDIDATES)}
      ),
      found as (${sql.join(
        ways.map(way => sql`(${way})`),
        sql` union all `,
      )}),
      best as (select address, min(way) as way from found group by address)
    select ${TOKEN_COLUMNS} from best join token on token.address = best.address ${MAIN_POOL}
    order by best.way, token.market_cap_weth desc nulls last, token.address limit ${limit}`.execute(db)
  return rows
}

/**
 * The most alike of those that resemble the text in symbol or in words of the name. Measuring is dear, so at most `MOST_MEASURED` of each kind are
 * measured, and with them those of the largest tokens.
 */
async function readSimilar(db: Queryable, text: string, limit: number): Promise<readonly TokenRow[]> {
  const kinds = [sql`lower(symbol) % lower(${text})`, sql`lower(name) %> lower(${text})`]
  const names = kinds.map((_, index) => sql.id(`kind_${index}`))
  // As expressions of their own these are planned as if all of them were wanted, by index, and then read only as far as the limits.
  const { rows } = await sql<TokenRow>`
    with ${sql.join(kinds.map((kind, index) => sql`${names[index]} as materialized (select address from token where ${kind})`))},
    largest as materialized (
      select address, symbol, name from token order by market_cap_weth desc nulls last, address limit ${sql.lit(MOST_MEASURED)}
    ),
    found as (
      ${sql.join(
        names.map(name => sql`(select address from ${name} limit ${sql.lit(MOST_MEASURED)})`),
        sql` union `,
      )}
      union select address from largest where ${sql.join(kinds, sql` or `)}
    ),
    alike as (
      select token.address, ${likeness(text)} as likeness, market_cap_weth from found join token using (address)
      order by likeness desc, market_cap_weth desc nulls last, address limit ${limit}::integer
    )
    select ${TOKEN_COLUMNS} from alike join token on token.address = alike.address ${MAIN_POOL}
    order by alike.likeness desc, token.market_cap_weth desc nulls last, token.address`.execute(db)
  return rows
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
