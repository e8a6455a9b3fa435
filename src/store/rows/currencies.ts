import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { toBytes } from '#tables/columns.ts'
import { CURRENCY, type CurrencyRow } from '#tables/currency.ts'
import { QUOTE_VALUE } from '#tables/token.ts'
import { stampToken } from './cursor.ts'
import { insertRows, runStatements } from './insertRows.ts'

/**
 * The most tokens that get a new sequence at once when their currency gets another symbol or other decimals. The other tokens show them
 * when they are next read, and get a new sequence with their next change.
 */
const MAX_STAMPED = 1_000
/** A contract may change its symbol without an event. An indexed token's contract is read once, since its events show changes. */
const READ_AGAIN_MS = 86_400_000

/** The currencies whose symbol and decimals were never read, or not for a day. */
export async function readDueCurrencies(db: Queryable, limit: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`
    (select address from currency where not is_read order by address limit ${limit})
    union all
    (select address from currency where read_again_at_ms <= floor(extract(epoch from now()) * 1000) order by read_again_at_ms limit ${limit})
    limit ${limit}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * Stores the symbols and decimals that contracts returned, under the lock of the cursor.
 *
 * @returns the tokens that got a new sequence, since the currency of their market has another symbol or other decimals now
 */
export async function writeCurrencies(
  db: Queryable,
  currencies: readonly Omit<CurrencyRow, 'readAgainAtMs'>[],
  committedAtMs: number,
): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address; symbol: string | null; decimals: number | null; is_token: boolean }>`
    select address, symbol, decimals, exists (select from token where token.address = currency.address) as is_token from currency
    where address = any(${currencies.map(({ address }) => toBytes(address))}::bytea[])`.execute(db)
  const stored = new Map(rows.map(row => [row.address, row]))
  const read = currencies.map(currency => {
    // A contract that does not answer this time keeps its symbol and decimals.
    const { symbol = null, decimals = null, is_token: isToken = false } = stored.get(currency.address) ?? {}
    const named = { ...currency, symbol: currency.symbol ?? symbol, decimals: currency.decimals ?? decimals }
    return { ...named, readAgainAtMs: isToken ? null : committedAtMs + READ_AGAIN_MS }
  })
  await runStatements(db, insertRows(CURRENCY, read, CURRENCY.merge))
  const renamed = read.filter(({ address, symbol, decimals }) => {
    const was = stored.get(address)
    return was?.symbol !== symbol || was.decimals !== decimals
  })
  return stampQuotedIn(
    db,
    renamed.map(({ address }) => address),
    committedAtMs,
  )
}

/**
 * Gives tokens whose market is in one of these currencies a new sequence.
 *
 * @param except tokens that this commit has already given one
 * @returns the tokens that got one
 */
export async function stampQuotedIn(
  db: Queryable,
  currencies: readonly Address[],
  committedAtMs: number,
  except: readonly Address[] = [],
): Promise<readonly Address[]> {
  if (currencies.length === 0) return []
  const { rows } = await sql<{ address: Address }>`
    update token set ${stampToken(committedAtMs)} where address in (
      select token.address from pool join token on token.address = pool.token and token.main_pool = pool.address
      where pool.quote_token = any(${currencies.map(toBytes)}::bytea[]) and token.address <> all(${except.map(toBytes)}::bytea[])
      limit ${sql.lit(MAX_STAMPED)}
    ) returning address`.execute(db)
  return rows.map(({ address }) => address)
}

/** The quote currencies of each launchpad's pools, by the launchpad's name. Reads all pools. */
export async function readQuoteCurrencies(db: Queryable): Promise<ReadonlyMap<string, readonly Address[]>> {
  const { rows } = await sql<{ launchpad: string; currency: Address }>`
    select distinct launchpad, quote_token as currency from pool order by launchpad, quote_token`.execute(db)
  const byName = Map.groupBy(rows, ({ launchpad }) => launchpad)
  return new Map([...byName].map(([name, found]) => [name, found.map(({ currency }) => currency)]))
}

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
  const valued = sql.raw(QUOTE_VALUE)
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
