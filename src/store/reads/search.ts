import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { PageOf, QueryOf } from '#resources/resource.ts'
import type { search } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { toBytes } from '#tables/columns.ts'
import { type AsOf, readAsOf } from './page.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'

const ADDRESS_LENGTH = 42
const ADDRESS_LIKE = /^0x[0-9a-f]{2,}$/i

/**
 * The most tokens with a prefix that are compared by market cap. When more have it, those among the `MAX_TOKENS` largest tokens come first,
 * then the first in alphabetical order.
 */
const MAX_CANDIDATES = 400
const MAX_TOKENS = 1_000

/** Appended to a prefix, it sorts after every text that begins with the prefix. */
const LAST_CHARACTER = '\u{10ffff}'

const BY_SIZE = sql`order by market_cap_weth desc nulls last, address`

/**
 * The tokens that match a text best, in whatever case: by address prefix, then by exact symbol, symbol prefix, name prefix, then by
 * similarity (`readSimilar`). Ties by market cap, then address. A token that matches in several ways counts by the best.
 */
export async function readSearch(db: Queryable, query: QueryOf<typeof search>, chainId: number): Promise<PageOf<typeof search>> {
  const text = query.q.trim()
  // PostgreSQL's text can't hold NUL, so no symbol or name does.
  if (text === '' || text.includes('\0')) return { data: [], next: null, asOfBlock: null }
  const { rows, asOfBlock } = await readFitting(db, text, query.limit)
  const tokens = rows.map(row => toToken(row, chainId))
  if (tokens.length === query.limit || ADDRESS_LIKE.test(text) || [...text].length < MIN_SIMILAR_LENGTH)
    return { data: tokens, next: null, asOfBlock }
  const similar = await readSimilar(db, text, query.limit)
  const found = new Set(tokens.map(({ address }) => address))
  const others = similar.map(row => toToken(row, chainId)).filter(({ address }) => !found.has(address))
  return { data: [...tokens, ...others].slice(0, query.limit), next: null, asOfBlock }
}

/**
 * Tries one way of matching after another, each by market cap and without the tokens of a better way, until the answer is full. A prefix
 * that many tokens have is searched twice, so twice the limit of rows holds enough different tokens.
 */
async function readFitting(db: Queryable, text: string, limit: number): Promise<AsOf<SelectedToken>> {
  const typed = sql`lower(${text}::text)`
  const [symbol, name] = [sql`lower(symbol)`, sql`lower(name)`]
  const begins = (of: RawBuilder<unknown>) => sql`(${of} ~>=~ ${typed} and ${of} ~<~ (${typed} || ${LAST_CHARACTER}))`
  const candidates = (of: RawBuilder<unknown>) => sql`select address, market_cap_weth, symbol from token where ${begins(of)}
    order by ${of} using ~<~ limit ${sql.lit(MAX_CANDIDATES)}`
  const largest = sql`(select address, market_cap_weth, symbol, name from token ${BY_SIZE} limit ${sql.lit(MAX_TOKENS)}) as largest`
  const way = (number: number, from: RawBuilder<unknown>) =>
    sql`(select address, ${sql.lit(number)} as way from ${from} ${BY_SIZE} limit ${limit}::integer)`
  const byPrefix = (number: number, matches: RawBuilder<unknown>, list: RawBuilder<unknown>, better: RawBuilder<unknown>) => [
    way(
      number,
      sql`${largest} where (select count(*) from ${list}) = ${sql.lit(MAX_CANDIDATES)} and ${matches} and (${better}) is not true`,
    ),
    way(number, sql`${list} where (${better}) is not true`),
  ]
  const isAddress = ADDRESS_LIKE.test(text) && text.length <= ADDRESS_LENGTH
  const [first, last] = addressRange(isAddress ? text : '0x')
  const inRange = sql`address between ${toBytes(first)} and ${toBytes(last)}`
  const byAddress = isAddress
    ? sql`select address, market_cap_weth from token where ${inRange} order by address limit ${sql.lit(MAX_CANDIDATES)}`
    : sql`select null::bytea as address, null::numeric as market_cap_weth limit 0`
  const ways = [
    ...(isAddress ? byPrefix(0, inRange, sql`by_address`, sql`false`) : []),
    way(1, sql`token where ${symbol} = ${typed}`),
    ...byPrefix(2, begins(symbol), sql`by_symbol`, sql`${symbol} = ${typed}`),
    ...byPrefix(3, begins(name), sql`by_name`, begins(symbol)),
  ]
  return readAsOf(
    db,
    sql<SelectedToken>`
    with by_symbol as materialized (${candidates(symbol)}), by_name as materialized (${candidates(name)}), by_address as materialized (${byAddress}),
      found as (select * from (${sql.join(ways, sql` union all `)}) as every_way limit ${2 * limit}::integer),
      best as (select address, min(way) as way from found group by address)
    select ${SELECTED_TOKEN} from best join token on token.address = best.address ${MAIN_POOL}
    order by best.way, token.market_cap_weth desc nulls last, token.address limit ${limit}::integer`,
  )
}

function addressRange(prefix: string): readonly [Hex, Hex] {
  const digits = prefix.slice(2)
  return [`0x${digits.padEnd(40, '0')}`, `0x${digits.padEnd(40, 'f')}`]
}

/** A shorter text is similar to almost everything. */
const MIN_SIMILAR_LENGTH = 3

/** How many tokens are compared: neighbours on each side in each order, names with all words, and the largest tokens. */
const NEIGHBOURS = 12
const WITH_WORDS = 60
const LARGEST = 80

/** The default thresholds of pg_trgm for a text and for a word in a text. */
const MIN_SIMILARITY = 0.3
const MIN_WORD_SIMILARITY = 0.6

/**
 * The tokens most similar to a text in symbol, name or a word of the name, by trigrams. Similarity is expensive, so it is computed for a
 * bounded number: the alphabetical neighbours of the text and of its longest word among symbols, names and reversed names; names with all
 * of the text's words, the last one perhaps incomplete; and the largest tokens.
 */
async function readSimilar(db: Queryable, text: string, limit: number): Promise<readonly SelectedToken[]> {
  const typed = sql`lower(${text}::text)`
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one), '')
  const candidates = [
    ...neighbours(typed),
    ...(longest === '' || longest === text ? [] : neighbours(sql`lower(${longest}::text)`)),
    ...(longest === '' ? [] : [sql`select address from with_words limit ${sql.lit(WITH_WORDS)}`]),
    sql`select address from token order by market_cap_weth desc nulls last, address limit ${sql.lit(LARGEST)}`,
  ]
  // A materialized CTE is planned as if all of its rows were wanted, and so with the index, but is read only up to the limit.
  const withWords = sql`with_words as materialized (
    select token as address from token_name where to_tsvector('simple', name) @@ to_tsquery('simple', ${`${words.join(' & ')}:*`}::text)
  ),`
  const { rows } = await sql<SelectedToken>`
    with ${longest === '' ? sql`` : withWords}
      found as (${sql.join(
        candidates.map(some => sql`(${some})`),
        sql` union `,
      )}),
      measured as materialized (
        select address, market_cap_weth, similarity(lower(symbol), ${typed}) as of_symbol, similarity(lower(name), ${typed}) as of_name,
          word_similarity(${typed}, lower(name)) as of_word
        from found join token using (address)
      ),
      alike as (
        select address, greatest(of_symbol, of_name, of_word) as likeness from measured
        where of_symbol >= ${sql.lit(MIN_SIMILARITY)} or of_word >= ${sql.lit(MIN_WORD_SIMILARITY)}
        order by likeness desc, market_cap_weth desc nulls last, address limit ${limit}::integer
      )
    select ${SELECTED_TOKEN} from alike join token on token.address = alike.address ${MAIN_POOL}
    order by alike.likeness desc, token.market_cap_weth desc nulls last, token.address`.execute(db)
  return rows
}

/** The tokens nearest to a text on both sides in each index. */
function neighbours(text: RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const beside = (from: RawBuilder<unknown>, of: RawBuilder<unknown>, like: RawBuilder<unknown>) => [
    sql`${from} where ${of} ~>=~ ${like} order by ${of} using ~<~ limit ${sql.lit(NEIGHBOURS)}`,
    sql`${from} where ${of} ~<~ ${like} order by ${of} using ~>~ limit ${sql.lit(NEIGHBOURS)}`,
  ]
  const tokens = sql`select address from token`
  return [
    ...beside(tokens, sql`lower(symbol)`, text),
    ...beside(tokens, sql`lower(name)`, text),
    ...beside(sql`select token as address from token_name`, sql`reverse(lower(name))`, sql`reverse(${text})`),
  ]
}
