import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, type CandleInterval, SECONDS_REACH_BACK } from '#domain/candle.ts'
import type { CandleCurrency } from '#resources/candles.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import type { StoredCandle } from './presentPrice.ts'
import { startOfCandle } from './startOfCandle.ts'

/* Candles of seconds are made from trades when they are asked for. Moves of the price without a trade show in the next trade's candle. */

/** Bounds what the candles of an answer cost: some 5 ms. */
const TRADES_AT_ONCE = 2_000
/** How many trades before the page are searched for one with a price in the currency. */
const TRADES_BEFORE = 100
/** A limit that is never reached. With an order and a limit, the planner uses the index by time, whatever the token's share of trades. */
const MORE_THAN_A_PAGE = 100_000

interface SecondsSelection {
  /** SQL of an address. */
  readonly token: RawBuilder<unknown>
  readonly interval: CandleInterval
  readonly currency: CandleCurrency
}

/** The Unix seconds from which on candles of seconds are offered, counted back from the newest indexed block. */
export async function readSecondsFrom(db: Queryable, interval: CandleInterval): Promise<number> {
  const { rows } = await sql<{ from: number }>`select ${secondsFrom(interval)} as "from"`.execute(db)
  return rows[0]?.from ?? 0
}

function secondsFrom(interval: CandleInterval): RawBuilder<number> {
  const from = startOfCandle(sql`(cursor_timestamp - ${sql.lit(SECONDS_REACH_BACK)})`, interval)
  return sql`coalesce((select greatest(${from}, 0) from chain_state), 0)`
}

/**
 * SQL of the earliest time from which candles are offered and can be made at once: from then on there are a bounded number of trades, or
 * one candle.
 *
 * @param to the latest time at which a candle may start
 * @param tokens how many tokens share the answer
 */
export function startOfPage({ token, interval }: Pick<SecondsSelection, 'token' | 'interval'>, to: number, tokens = 1): RawBuilder<number> {
  const newest = (skipped: number) => sql`(
    select ${startOfCandle(sql`trade.timestamp`, interval)} from trade where trade.token = ${token} and ${isUpTo(to, interval)}
      and trade.timestamp >= offered.since
    ${NEWEST_FIRST} offset ${skipped}::integer limit 1)`
  const step = sql.lit(CANDLE_INTERVALS[interval])
  // `offset 0` keeps the planner from running the same sub-select twice.
  return sql<number>`(
    select case when cut is null then since else least(newest, cut + ${step}) end
    from (
      select since, ${newest(0)} as newest, ${newest(Math.ceil(TRADES_AT_ONCE / tokens))} as cut from (select ${secondsFrom(interval)} as since) as offered offset 0
    ) as page)`
}

/**
 * Selects candles made from trades, newest first. A candle opens where the one before closed, and a token's first one at its first price.
 *
 * @param start the start of a candle
 */
export function selectSecondCandles(
  selection: SecondsSelection,
  start: number | RawBuilder<number>,
  to: number,
  count: number,
): RawBuilder<StoredCandle> {
  const { interval, currency } = selection
  const { price, volume, first } = VALUES[currency]
  const columns = sql`trade.timestamp, trade.block_number, trade.log_index, ${price} as price, ${volume} as volume, ${first} as first`
  return sql<StoredCandle>`
    with page as materialized (${selectPage(selection, start)})
    select time, open, greatest(high, open) as high, least(low, open) as low, close, volume, trades, false as "isPresent", null::boolean as "inUsd"
    from (
      select *, coalesce(lag(close) over (order by time), first) as open from (
        select ${startOfCandle(sql`timestamp`, interval)} as time, max(price) as high, min(price) as low,
          (array_agg(price order by block_number desc, log_index desc))[1] as close,
          (array_agg(coalesce(first, price) order by block_number, log_index))[1] as first,
          coalesce(sum(volume), 0) as volume, count(*)::integer as trades
        from (
          select ${columns} from page cross join lateral (
            select * from trade where trade.token = page.address and trade.timestamp >= page.start and ${isUpTo(to, interval)} ${NEWEST_FIRST}
            limit ${sql.lit(MORE_THAN_A_PAGE)}
          ) as trade
          union all (${selectBefore(columns)})
        ) as valued where price is not null group by 1
      ) as folded
    ) as opened
    where time >= (select start from page) order by time desc limit ${count}::integer`
}

/** Selects the close before a time, as a candle without volume. */
export function selectCloseBefore(selection: SecondsSelection, time: number): RawBuilder<StoredCandle> {
  const columns = sql`trade.timestamp, ${VALUES[selection.currency].price} as price`
  return sql<StoredCandle>`
    with page as materialized (${selectPage(selection, time)})
    select ${startOfCandle(sql`timestamp`, selection.interval)} as time, price as open, price as high, price as low, price as close,
      0::numeric as volume, 0 as trades, false as "isPresent", null::boolean as "inUsd"
    from (${selectBefore(columns)}) as earlier`
}

/** Selects the page's start, and the columns of the token by which its trades are valued. */
function selectPage({ token }: SecondsSelection, start: number | RawBuilder<number>): RawBuilder<unknown> {
  return sql`select ${start}::bigint as start, address, main_pool, first_price_weth from token where address = ${token}`
}

/** Selects the last trade before the page that has a price in the currency. */
function selectBefore(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select * from (
    select ${columns} from page cross join lateral (
      select * from trade where trade.token = page.address and trade.timestamp < page.start ${NEWEST_FIRST} limit ${sql.lit(TRADES_BEFORE)}
    ) as trade
  ) as earlier where price is not null limit 1`
}

/** SQL of whether the candle of a trade starts at `to` or before. */
function isUpTo(to: number, interval: CandleInterval): RawBuilder<unknown> {
  return sql`trade.timestamp < ${to + CANDLE_INTERVALS[interval]}::bigint`
}

const NEWEST_FIRST = sql`order by trade.timestamp desc, trade.block_number desc, trade.log_index desc`

/** Trades in pools of other currencies move no price in the market's own currency. */
const IS_OF_MARKET = sql`(trade.phase = 'curve' or trade.pool = page.main_pool)`
const POOL_PRICE = sql`coalesce(trade.pool_price, trade.price_after_weth)`

interface TradeValues {
  /** SQL of the price after the trade; `null`: not known in the currency. */
  readonly price: RawBuilder<unknown>
  readonly volume: RawBuilder<unknown>
  /** The price before a token's first trade. */
  readonly first: RawBuilder<unknown>
}

/** How trades are valued in each currency, in the units of stored candles. */
const VALUES: Readonly<Record<CandleCurrency, TradeValues>> = {
  weth: { price: sql`trade.price_after_weth`, volume: sql`trade.amount_wei`, first: sql`page.first_price_weth` },
  quote: {
    price: sql`case when ${IS_OF_MARKET} then ${POOL_PRICE} end`,
    volume: sql`case when ${IS_OF_MARKET} then coalesce(trade.amount_quote, trade.amount_wei) end`,
    first: sql`null::numeric`,
  },
  // Where a peg values the amount, the same rate values the price.
  usd: {
    price: sql`case when trade.value_usd is null then trade.price_after_weth * trade.eth_usd
      when ${IS_OF_MARKET} then ${POOL_PRICE} * trade.value_usd * 1000000000000000000 / nullif(trade.amount_quote, 0) end`,
    volume: sql`coalesce(trade.value_usd, trade.amount_wei * trade.eth_usd / 1000000000000000000)`,
    first: sql`case when trade.value_usd is null then page.first_price_weth * trade.eth_usd end`,
  },
}
