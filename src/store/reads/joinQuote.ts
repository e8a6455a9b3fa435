import { type RawBuilder, sql } from 'kysely'

/**
 * `left join … as quote`: the symbol and decimals of a currency. Those of an indexed token follow its events, so that a renamed token has
 * its new symbol wherever it is a currency. Those of other currencies are as their contracts last returned them.
 *
 * @param address a column of a table that is joined before, other than `token` and `currency`
 */
export function joinQuote(address: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join lateral (
    select symbol, decimals, true as is_read from token where token.address = ${address}
    union all
    select symbol, decimals, is_read from currency
    where currency.address = ${address} and not exists (select from token where token.address = ${address})
  ) as quote on true`
}
