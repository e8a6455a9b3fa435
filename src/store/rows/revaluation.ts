import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { QUOTE_WORTH } from '#tables/token.ts'

/*
 * Each token keeps the rate of its quote currency by which it was valued. All look-ups use the index `token_by_quote`, which leaves out
 * tokens quoted in ether.
 */

/** A token is outdated when its currency's rate has fallen below this share of the rate it was valued by, or risen above the inverse. */
const MIN_SHARE = 0.995

/** The quote currencies, other than ether, whose turn is next: by address, from where the last block stopped, then from the first. */
export async function readCurrenciesInTurn(db: Queryable, most: number): Promise<readonly Address[]> {
  const [later, first] = await Promise.all([
    currenciesAfter(db, sql`coalesce((select revalued_to from block order by number desc limit 1), '\\x'::bytea)`, most),
    currenciesAfter(db, sql`'\\x'::bytea`, most),
  ])
  return [...new Set([...later, ...first])].slice(0, most)
}

/** One look-up per currency, however many tokens it has. */
async function currenciesAfter(db: Queryable, after: ReturnType<typeof sql>, most: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ currency: Address }>`
    with recursive found (currency, nth) as (
      (select quote_token, 1 from token where quote_token > ${after} order by quote_token limit 1)
      union all
      select (select quote_token from token where quote_token > found.currency order by quote_token limit 1), nth + 1 from found
      where currency is not null and nth < ${sql.lit(most)}
    )
    select currency from found where currency is not null`.execute(db)
  return rows.map(({ currency }) => currency)
}

/** The present value of 10^18 smallest units of a currency, in WETH, or else by a peg; `null`: not known. */
export interface CurrencyRate {
  readonly currency: Address
  readonly rate: Decimal | null
}

/** Tokens that were valued by an outdated rate, in the order of `rates`, and for each currency the largest difference first. */
export async function readOutdatedTokens(
  db: Queryable,
  rates: readonly CurrencyRate[],
  most: number,
): Promise<readonly { readonly token: Address; readonly currency: Address }[]> {
  const valued = sql.raw(QUOTE_WORTH)
  const ofCurrency = sql`select address, ${valued} as rate from token where quote_token = asked.currency`
  const [limit, share] = [sql`limit ${most}::integer`, sql`${MIN_SHARE}::numeric`]
  const { rows } = await sql<{ token: Address; currency: Address }>`
    select outdated.address as token, asked.currency
    from unnest(${rates.map(({ currency }) => toBytes(currency))}::bytea[],
      ${rates.map(({ rate }) => (rate === null ? null : formatDecimal(rate)))}::numeric[]) with ordinality as asked (currency, rate, nth)
    cross join lateral (
      (${ofCurrency} and ${valued} < asked.rate * ${share} order by ${valued}, address ${limit})
      union all (${ofCurrency} and ${valued} > asked.rate / ${share} order by ${valued} desc, address desc ${limit})
      union all (${ofCurrency} and ${valued} is null and asked.rate is not null order by ${valued}, address ${limit})
      union all (${ofCurrency} and ${valued} is not null and asked.rate is null order by ${valued}, address ${limit})
    ) as outdated
    order by asked.nth, abs(outdated.rate - asked.rate) desc nulls first, outdated.address ${limit}`.execute(db)
  return rows
}
