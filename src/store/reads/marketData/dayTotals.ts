import { type RawBuilder, sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { DayTotals } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { joinQuote } from '#store/reads/joinQuote.ts'
import { trimScale, wholeUnits } from '#store/reads/trimScale.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { QUOTE_DECIMALS } from './pairEvents.ts'

const [MINUTE, HOUR, DAY] = [sql.lit(60), sql.lit(3_600), sql.lit(86_400)]

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
 * The volume and the highest and lowest price of tokens' main pools in the 24 hours before the newest indexed block, to the minute. They
 * are read from at most 83 candles of each token, and from minutes that are not folded yet. If a token's market moved to a new pool within
 * the day, as by graduation, only the new pool counts: its trades in the minute of the move, and the candles after that minute. Tokens
 * without trades there, and those whose quote currency has no known decimals, are left out.
 */
export async function readDayTotals(db: Queryable, tokens: readonly Address[]): Promise<readonly DayTotals[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<Row>`
    with day as materialized (select cursor_timestamp - cursor_timestamp % ${MINUTE} - ${DAY} as since, unfolded_from from chain_state)
    select token.address as token, pool.address as pair, token.decimals, ${QUOTE_DECIMALS} as "quoteDecimals",
      traded.amount_token::text as "amountToken", traded.amount_quote::text as "amountQuote", traded.high::text as high, traded.low::text as low
    from day cross join unnest(${binaryArray(BYTEA, tokens)}::bytea[]) as asked (address)
    ${lookUp('token', sql`token.address = asked.address`)}
    join pool on pool.address = token.main_pool
    ${joinQuote(sql`pool.quote_token`)}
    left join pool_creation as creation on creation.pool = pool.address and pool.created_block > token.created_block
    cross join lateral (select greatest(token.migrated_at, creation.timestamp) as at) as moved
    cross join lateral (select case when moved.at > day.since then moved.at end as since) as own
    cross join lateral (select coalesce(own.since - own.since % ${MINUTE}, day.since) + ${MINUTE} as minute) as whole
    cross join lateral (select whole.minute + ${HOUR} - 1 - (whole.minute + ${HOUR} - 1) % ${HOUR} as hour) as full_hour
    cross join lateral (
      select sum(part.amount_token) as amount_token, sum(part.amount_quote) as amount_quote, max(part.high) as high, min(part.low) as low
      from (
        -- The order has the planner use the index by time: with old statistics another one may seem as good.
        (select amount_token, coalesce(amount_quote, amount_wei) as amount_quote, coalesce(pool_price, price_after_weth) as high,
          coalesce(pool_price, price_after_weth) as low
        from trade where trade.token = asked.address and trade.pool = pool.address
          and trade.timestamp >= own.since and trade.timestamp < whole.minute order by trade.timestamp)
        union all ${sql.join(
          INDEX_RANGES.flatMap(flag => [
            candlesOf(MINUTE, flag, sql`whole.minute`, sql`full_hour.hour`),
            candlesOf(HOUR, flag, sql`full_hour.hour`, sql`day.since + 2 * ${DAY}`),
            candlesOf(MINUTE, flag, sql`greatest(full_hour.hour, day.unfolded_from)`, sql`day.unfolded_from + 2 * ${DAY}`),
          ]),
          sql` union all `,
        )}
      ) as part
    ) as traded
    where traded.amount_token is not null and traded.high is not null and ${QUOTE_DECIMALS} is not null`.execute(db)
  return rows.map(({ token, pair, decimals, quoteDecimals, amountToken, amountQuote, high, low }) => ({
    token,
    pair,
    volume: { token: formatUnits(BigInt(amountToken), decimals), quote: formatUnits(BigInt(amountQuote), quoteDecimals) },
    high: wholeUnits(trimScale(high), quoteDecimals),
    low: wholeUnits(trimScale(low), quoteDecimals),
  }))
}

/** The ranges of the index of candles, in which `in_usd` comes before the time. */
const INDEX_RANGES = [sql`in_usd`, sql`not in_usd`, sql`in_usd is null`]

function candlesOf(seconds: RawBuilder<unknown>, flag: RawBuilder<unknown>, first: RawBuilder<unknown>, after: RawBuilder<unknown>) {
  return sql`select volume_token, coalesce(volume_quote, volume_wei), coalesce(high_quote, high), coalesce(low_quote, low) from candle
    where candle.token = asked.address and candle.interval_seconds = ${seconds} and ${flag} and trades > 0
      and candle.time >= ${first} and candle.time < ${after}`
}
