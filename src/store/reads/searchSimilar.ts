import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken } from './toToken.ts'

/** A shorter text is similar to almost everything. */
export const MIN_SIMILAR_LENGTH = 3

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
export async function readSimilar(db: Queryable, text: string, limit: number): Promise<readonly SelectedToken[]> {
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
