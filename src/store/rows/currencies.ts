import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { CURRENCY, type CurrencyRow } from '#tables/currency.ts'
import { toBytes } from '#tables/toBytes.ts'
import { stampToken } from './cursor.ts'
import { insertRows, runStatements } from './insertRows.ts'

/**
 * How many tokens get a new sequence when their currency becomes known. A new currency is read at once: only after a migration it has more
 * tokens.
 */
const MAX_STAMPED = 1_000

export async function readUnreadCurrencies(db: Queryable, limit: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`select address from currency where not is_read order by address limit ${limit}`.execute(
    db,
  )
  return rows.map(({ address }) => address)
}

/**
 * Stores the symbols and decimals that contracts returned, under the lock of the cursor.
 *
 * @returns the tokens whose market is in one of these currencies
 */
export async function writeCurrencies(
  db: Queryable,
  currencies: readonly CurrencyRow[],
  committedAtMs: number,
): Promise<readonly Address[]> {
  await runStatements(db, insertRows(CURRENCY, currencies, CURRENCY.merge))
  const { rows } = await sql<{ address: Address }>`
    update token set ${stampToken(committedAtMs)} where address in (
      select token.address from pool join token on token.address = pool.token and token.main_pool = pool.address
      where pool.quote_token = any(${currencies.map(({ address }) => toBytes(address))}::bytea[]) limit ${sql.lit(MAX_STAMPED)}
    ) returning address`.execute(db)
  return rows.map(({ address }) => address)
}
