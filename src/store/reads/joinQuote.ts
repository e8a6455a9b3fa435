import { type RawBuilder, sql } from 'kysely'

/**
 * `left join … as quote`: the names of a currency. Those of an indexed token follow its events, so that a token that is renamed has its new
 * symbol wherever it is a currency. Those of others are as their contracts returned them when they were read last.
 *
 * @param address a column of a table that is joined before; no column of `token` or `currency`
 */
export function joinQuote(address: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`left join lateral (
    select symbol, decimals, true as is_read from token where token.address = ${address}
    union all
    select symbol, decimals, is_read from currency
    where currency.address = ${address} and not exists (select from token where token.address = ${address})
  ) as quote on true`
}
