import { sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { DayTotals } from '#domain/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { trimScale, wholeUnits } from '#store/reads/trimScale.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { QUOTE_DECIMALS } from './pairEvents.ts'

const DAY_SECONDS = 86_400

interface Row {
  readonly token: Address
  readonly pair: Hex
  readonly decimals: number
  readonly quoteDecimals: number
  readonly amountToken: string
  readonly amountQuote: string
  readonly high: string
  readonly low: string
}

/**
 * What the main pools of some tokens did in the 24 hours before the newest indexed block. Reads the tokens' trades of that time. Left out
 * are tokens without trades there, and those whose quote currency tells no decimals.
 */
export async function readDayTotals(db: Queryable, tokens: readonly Address[]): Promise<readonly DayTotals[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<Row>`
    select token.address as token, pool.address as pair, token.decimals, ${QUOTE_DECIMALS} as "quoteDecimals",
      traded.amount_token::text as "amountToken", traded.amount_quote::text as "amountQuote", traded.high::text as high, traded.low::text as low
    from unnest(${binaryArray(BYTEA, tokens)}::bytea[]) as asked (address)
    join token on token.address = asked.address join pool on pool.address = token.main_pool
    left join currency as quote on quote.address = pool.quote_token
    cross join lateral (
      select sum(amount_token) as amount_token, sum(coalesce(amount_quote, amount_wei)) as amount_quote,
        max(coalesce(pool_price, price_after_weth)) as high, min(coalesce(pool_price, price_after_weth)) as low
      from trade where trade.token = token.address and trade.pool = pool.address
        and trade.timestamp > (select cursor_timestamp from chain_state) - ${DAY_SECONDS}
    ) as traded
    where traded.high is not null and ${QUOTE_DECIMALS} is not null`.execute(db)
  return rows.map(({ token, pair, decimals, quoteDecimals, amountToken, amountQuote, high, low }) => ({
    token,
    pair,
    volume: { token: formatUnits(BigInt(amountToken), decimals), quote: formatUnits(BigInt(amountQuote), quoteDecimals) },
    high: wholeUnits(trimScale(high), quoteDecimals),
    low: wholeUnits(trimScale(low), quoteDecimals),
  }))
}
