import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { CURRENCY, type CurrencyRow } from '#tables/currency.ts'
import { toBytes } from '#tables/toBytes.ts'
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
