import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import {
  CANDLE_INTERVALS,
  type CandleInterval,
  candleOffset,
  candleSourceOf,
  candleStart,
  SECONDS_REACH_BACK,
  STORED_INTERVALS,
  type StoredInterval,
} from '#domain/candle.ts'
import { formatUnits, multiplyTexts, parseDecimal } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/prices.ts'
import type { Candle, CandleCurrency, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { UNFOLDED_FROM } from '#store/rows/foldMinutes.ts'
import { lookUp } from '#store/rows/insertRows.ts'
import { toBytes } from '#tables/columns.ts'
import { pageOf, readAsOf, trimScale, weiToWeth, wholeUnits } from './page.ts'
import { isIndexed } from './tokens.ts'
import { joinQuote } from './toTrade.ts'

/**
 * One page of a token's candles, times ascending; `null` when the token is not indexed. The first page has the newest `limit` candles of
 * the range, and the next one older candles: a chart is drawn at once and filled to the left.
 *
 * With `fill`, intervals without a trade repeat the last close with no volume, from the token's first candle to the interval of the newest
 * indexed block, both within the range. In USD, a candle covers the moments at which the USD price was known; without any there is no
 * candle. In a quote currency of unknown decimals there are no candles. In WETH, the newest candle closes at the token's present price.
 *
 * Candles of a minute that are no longer kept, or are being dropped, are left out. A page of candles of seconds ends where it would need
 * too many trades.
 */
export async function readCandles(db: Queryable, query: CandlesQuery): Promise<Page<Candle, CandleCursor> | null> {
  const { address, interval, from, to: last = LATEST, cursor } = query
  const step = CANDLE_INTERVALS[interval]
  const to = candleStart(cursor === undefined ? last : Math.min(last, cursor.time - step), interval)
  const scale = (await readScales(db, [address], query)).get(address)
  if (scale === undefined) {
    const indexed = await readIndexed(db, query)
    return indexed === null ? null : { data: [], next: null, asOfBlock: indexed.asOfBlock }
  }
  const pageFrom = isOfTrades(query) ? await readStartOfPage(db, query, to) : 0
  const asked = from === undefined ? 0 : candleStart(from, interval)
  const range = { asked, pageFrom, to, scale }
  return query.fill ? readFilled(db, query, range) : readTraded(db, query, range)
}

const LATEST = Number.MAX_SAFE_INTEGER

/** The candles that a page can have, by their times. */
interface PageRange {
  /** The earliest that the query asks for. */
  readonly asked: number
  /** The earliest that one page may need trades for; 0: it needs none. */
  readonly pageFrom: number
  readonly to: number
  readonly scale: Scale
}

/** A page of `readCandles` without `fill`. */
async function readTraded(
  db: Queryable,
  query: CandlesQuery,
  { asked, pageFrom, to, scale }: PageRange,
): Promise<Page<Candle, CandleCursor> | null> {
  const { limit } = query
  const { rows, asOfBlock } = await readAsOf(db, selectCandles(selectionOf(query), Math.max(asked, pageFrom), to, limit + 1))
  // This is read after the candles, so that candles of a day that was being dropped count as dropped.
  const keptFrom = await readKeptFrom(db, query)
  const candles = closingAtPresent(rows).filter(({ time }) => time >= keptFrom)
  // Earlier candles would need more trades than a page may.
  const beyond = pageFrom > Math.max(asked, keptFrom) ? { time: pageFrom } : null
  if (candles.length === 0)
    return (await isIndexed(db, query.address)) ? { ...emptyPage(query, asOfBlock, to, keptFrom), next: beyond } : null
  const { shown, next } = pageOf(candles, limit, ({ time }) => ({ time }))
  return { data: shown.map(row => toCandle(row, query, scale)).reverse(), next: next ?? beyond, asOfBlock }
}

/** A page of `readCandles` with `fill`. */
async function readFilled(
  db: Queryable,
  query: CandlesQuery,
  { asked, pageFrom, to, scale }: PageRange,
): Promise<Page<Candle, CandleCursor> | null> {
  const step = CANDLE_INTERVALS[query.interval]
  const indexed = await readIndexed(db, query)
  if (indexed === null) return null
  const { asOfBlock } = indexed
  const keptFrom = await readKeptFrom(db, query)
  const end = Math.min(to, candleStart(indexed.timestamp, query.interval))
  const start = Math.max(asked, pageFrom, keptFrom, end - (query.limit - 1) * step)
  if (start > end) return emptyPage(query, asOfBlock, end, keptFrom)
  const [stored, earlier] = await readRangeAndEarlier(db, query, { start, end, keptFrom, scale })
  // Candles of the range may have been dropped before they were read.
  if (!isOfTrades(query) && (await readKeptFrom(db, query)) !== keptFrom) return readCandles(db, query)
  const byTime = new Map(stored.map(candle => [candle.time, candle]))
  const data: Candle[] = []
  let close = earlier?.close ?? null
  for (let time = start; time <= end; time += step) {
    const candle =
      byTime.get(time) ?? (close === null ? null : { time, open: close, high: close, low: close, close, volume: '0', trades: 0 })
    if (candle === null) continue
    data.push(candle)
    close = candle.close
  }
  return { data, next: earlier !== null && start > Math.max(asked, keptFrom) ? { time: start } : null, asOfBlock }
}

/** @param end the latest time at which a candle of the page could start */
function emptyPage(query: CandlesQuery, asOfBlock: string | null, end: number, keptFrom: number): Page<Candle, CandleCursor> {
  const which = isOfTrades(query) ? 'of seconds' : 'of one minute'
  const notKept = `candles ${which} are kept from ${keptFrom} on; those of longer intervals go further back`
  return { data: [], next: null, asOfBlock, ...(keptFrom > 0 && end < keptFrom && { notKept }) }
}

function isOfTrades({ interval }: CandlesQuery): boolean {
  return candleSourceOf(interval).type === 'trades'
}

async function readStartOfPage(db: Queryable, query: CandlesQuery, to: number): Promise<number> {
  const { rows } = await sql<{ start: number }>`select ${startOfPage(selectionOf(query), to)} as start`.execute(db)
  return rows[0]?.start ?? 0
}

/** The newest indexed block; `null` when the token is not indexed. */
async function readIndexed(db: Queryable, query: CandlesQuery) {
  const { rows } = await sql<{ timestamp: number; asOfBlock: string }>`
    select cursor_timestamp as timestamp, cursor_number::text as "asOfBlock" from token cross join chain_state where token.address = ${toBytes(query.address)}
      and cursor_number is not null`.execute(db)
  return rows[0] ?? null
}

/**
 * The stored candles of a range, ascending, and the last one before it. If that one was dropped, a candle of a longer interval takes its
 * place. It has the same close, because only whole days are dropped.
 */
async function readRangeAndEarlier(
  db: Queryable,
  query: CandlesQuery,
  { start, end, keptFrom, scale }: { readonly start: number; readonly end: number; readonly keptFrom: number; readonly scale: Scale },
): Promise<readonly [readonly Candle[], Candle | null]> {
  const selection = selectionOf(query)
  const parts = [selectCandles(selection, start, end, query.limit)]
  if (isOfTrades(query)) parts.push(selectCloseBefore(selection, start))
  else parts.push(selectPast(selection, 0, start - CANDLE_INTERVALS[query.interval], 1))
  if (keptFrom > 0 && !isOfTrades(query)) parts.push(selectPast({ ...selection, interval: '5m' }, 0, keptFrom - CANDLE_INTERVALS['5m'], 1))
  const { rows } = await sql<StoredCandle>`
    ${sql.join(
      parts.map(part => sql`(${part})`),
      sql` union all `,
    )} order by time desc, "isPresent" desc`.execute(db)
  const candles = closingAtPresent(rows)
    .map(row => toCandle(row, query, scale))
    .reverse()
  return [candles.filter(({ time }) => time >= start), candles.findLast(({ time }) => time < start) ?? null]
}

function selectionOf({ address, ...query }: CandlesQuery): CandleSelection {
  return { ...query, token: sql`${toBytes(address)}` }
}

interface CandleSelection extends Pick<CandlesQuery, 'interval' | 'currency'> {
  /** SQL of the token's address. */
  readonly token: RawBuilder<unknown>
}

/** Selects candles of a token, newest first. In WETH, the present price comes in addition to `count` candles. */
export function selectCandles(query: CandleSelection, from: CandleBound, to: number, count: number) {
  const past = selectPast(query, from, to, count)
  if (query.currency !== 'weth') return past
  return sql<StoredCandle>`select * from ((${selectPresentPrice(query, from, to)}) union all (${past})) as candles
    order by time desc, "isPresent" desc`
}

/** As `selectCandles`, without the present price. */
function selectPast(query: CandleSelection, from: CandleBound, to: number, count: number): RawBuilder<StoredCandle> {
  const source = candleSourceOf(query.interval)
  switch (source.type) {
    case 'stored':
      return selectStored({ ...query, interval: source.interval }, from, to, count)
    case 'folded':
      return foldStoredCandles(query.interval, source.from, { from, to, count }, (...range) =>
        selectStored({ ...query, interval: source.from }, ...range),
      )
    case 'trades':
      return selectSecondCandles(query, from, to, count)
  }
}

/** Selects candles of a stored interval. Those longer than a minute that had not ended by `unfolded_from` come from `selectOpen`. */
function selectStored(query: StoredSelection, from: CandleBound, to: number, count: number) {
  if (query.interval === STORED_INTERVALS[0]) return selectRows(query, from, to, count)
  const start = startOfCandle(UNFOLDED, query.interval)
  const ended = sql<number>`least(${to}::bigint, ${start} - ${sql.lit(CANDLE_INTERVALS[query.interval])})`
  return sql<StoredCandle>`select * from ((${selectRows(query, from, ended, count)}) union all (${selectOpen(query, from, to)})) as candles
    order by time desc limit ${count}::integer`
}

/** @param isPart whether candles without values in the currency are wanted too, since their trades count in a longer candle */
function selectRows(query: StoredSelection, from: CandleBound, to: CandleBound, count: number, isPart = false) {
  const flags = INDEX_RANGES[isPart && query.currency === 'weth' ? 'quote' : query.currency]
  const ranges = flags.map(flag => sql`(${selectIndexRange(query, flag, from, to, count, isPart)})`)
  return sql<StoredCandle>`select * from (${sql.join(ranges, sql` union all `)}) as ranges order by time desc limit ${count}::integer`
}

/**
 * Selects the candles that had not ended by `unfolded_from` (`wholeCandles.ts`). Each is folded from its row, if there is one, and from
 * candles of a minute. When all candles of a minute are folded, there are none.
 */
function selectOpen(query: StoredSelection, from: CandleBound, to: number) {
  const { interval } = query
  const start = startOfCandle(UNFOLDED, interval)
  const lastMinute = to + CANDLE_INTERVALS[interval] - CANDLE_INTERVALS['1m']
  const minutes = selectRows({ ...query, interval: '1m' }, sql`greatest(${from}::bigint, ${UNFOLDED})`, lastMinute, MAX_MINUTES, true)
  return sql<StoredCandle>`
    select ${startOfCandle(sql`time`, interval)} as time, ${FOLDED} from (
      (${selectRows(query, start, start, 1, true)}) union all (${minutes})
    ) as parts
    where time >= ${from}::bigint and time <= ${lastMinute}::bigint and ${UNFOLDED} is not null group by 1 having count(close) > 0`
}

const UNFOLDED = sql.raw(UNFOLDED_FROM)
/** A limit that is never reached: minutes are folded each hour, so one token has about 60 of them. */
const MAX_MINUTES = 100_000

interface StoredSelection extends CandleSelection {
  readonly interval: StoredInterval
}

/**
 * The values of `in_usd` in which candles with values in a currency are. `true`: they have values in USD; `false`: only in WETH; `null`:
 * only in the quote currency. Each value is a range of the index that has all columns.
 */
const INDEX_RANGES: Readonly<Record<CandleCurrency, readonly (boolean | null)[]>> = {
  usd: [true],
  weth: [true, false],
  quote: [true, false, null],
}

/**
 * Selects one range of the index that has all columns. The order by `in_usd` fits only this index: ordered by time alone, the planner may
 * use the primary key and read all candles of the token. A sub-select hides the flag from the planner, whose statistics may say that all
 * candles have it. The comparison after the limit, and `in_usd` among the columns, show the planner that the rows are sorted by time.
 */
function selectIndexRange(
  { token, interval, currency }: StoredSelection,
  inUsd: boolean | null,
  from: CandleBound,
  to: CandleBound,
  count: number,
  isPart: boolean,
) {
  const flag = sql`(select ${sql.lit(inUsd)})`
  const within =
    inUsd === null
      ? sql`in_usd is null and time >= ${from}::bigint and time <= ${to}::bigint`
      : sql`(in_usd, time) >= (${flag}, ${from}::bigint) and (in_usd, time) <= (${flag}, ${to}::bigint)`
  return sql<StoredCandle>`
    select time, ${COLUMNS[currency]}, false as "isPresent", in_usd as "inUsd" from (
      select * from candle
      where token = ${token} and interval_seconds = ${CANDLE_INTERVALS[interval]}::integer and ${within} ${isPart ? sql`` : HAS_VALUES[currency]}
      order by in_usd desc, time desc limit ${count}::integer
    ) as candle ${inUsd === null ? sql`` : sql`where in_usd = ${flag}`} order by time desc`
}

/** The condition for candles with values in a currency. A peg gives USD values to candles without values in WETH. */
const HAS_VALUES: Readonly<Record<CandleCurrency, RawBuilder<unknown>>> = {
  usd: sql``,
  weth: sql`and close is not null`,
  quote: sql``,
}

/** The columns of each currency. Those of the quote currency are filled only where that is not WETH. */
const COLUMNS: Readonly<Record<CandleCurrency, RawBuilder<unknown>>> = {
  usd: sql`open_usd as open, high_usd as high, low_usd as low, close_usd as close, volume_usd as volume, trades_usd as trades`,
  weth: sql`open, high, low, close, volume_wei as volume, trades`,
  quote: sql`coalesce(open_quote, open) as open, coalesce(high_quote, high) as high, coalesce(low_quote, low) as low,
    coalesce(close_quote, close) as close, coalesce(volume_quote, volume_wei) as volume, trades`,
}

export function toCandle(
  row: StoredCandle,
  { currency, interval }: Pick<CandlesQuery, 'currency' | 'interval'>,
  { decimals, supply }: Scale,
): Candle {
  const isRounded = currency !== 'usd' || candleSourceOf(interval).type !== 'trades'
  const rounded = (text: string) => (isRounded ? trimScale(text) : multiplyTexts(text, '1'))
  const value = (text: string) => {
    const price = currency === 'quote' ? wholeUnits(trimScale(text), decimals) : rounded(text)
    return supply === null ? price : multiplyTexts(price, supply)
  }
  return {
    time: row.time,
    open: value(row.open),
    high: value(row.high),
    low: value(row.low),
    close: value(row.close),
    volume:
      currency === 'usd' ? rounded(row.volume) : currency === 'weth' ? weiToWeth(row.volume) : formatUnits(BigInt(row.volume), decimals),
    trades: row.trades,
  }
}

/** How stored prices become values of the API. */
interface Scale {
  /** The decimals of the currency. */
  readonly decimals: number
  /** The supply in whole tokens, by which prices become market caps; `null`: prices are asked for. */
  readonly supply: string | null
}

/**
 * The scale of each token. Tokens that are not indexed are left out, and so are those whose quote currency has no known decimals if values
 * in it are asked for.
 */
export async function readScales(
  db: Queryable,
  tokens: readonly Address[],
  { of, currency }: Pick<CandlesQuery, 'of' | 'currency'>,
): Promise<ReadonlyMap<Address, Scale>> {
  if (of === 'price' && currency !== 'quote') return new Map(tokens.map(token => [token, { decimals: WETH_DECIMALS, supply: null }]))
  const { rows } = await sql<{ address: Address; supply: string; decimals: number; quote: number | null }>`
    select token.address, token.total_supply as supply, token.decimals, quote.decimals as quote
    from unnest(${tokens.map(toBytes)}::bytea[]) as asked (address)
    ${lookUp('token', sql`token.address = asked.address`)}
    left join pool on pool.address = token.main_pool ${joinQuote(sql`pool.quote_token`)}`.execute(db)
  return new Map(
    rows.flatMap(({ address, supply, decimals, quote }): [Address, Scale][] => {
      const ofCurrency = currency === 'quote' ? quote : WETH_DECIMALS
      if (ofCurrency === null) return []
      return [[address, { decimals: ofCurrency, supply: of === 'price' ? null : formatUnits(BigInt(supply), decimals) }]]
    }),
  )
}

/** The time from which on candles of the interval are kept; 0: all are kept. */
export async function readKeptFrom(db: Queryable, { interval }: Pick<CandlesQuery, 'interval'>): Promise<number> {
  if (candleSourceOf(interval).type === 'trades') return readSecondsFrom(db, interval)
  if (interval !== '1m') return 0
  const { rows } = await sql<{ keptFrom: number | null }>`select minutes_from as "keptFrom" from chain_state`.execute(db)
  return rows[0]?.keptFrom ?? 0
}

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
async function readSecondsFrom(db: Queryable, interval: CandleInterval): Promise<number> {
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
function selectSecondCandles(
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
function selectCloseBefore(selection: SecondsSelection, time: number): RawBuilder<StoredCandle> {
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

/** SQL of a candle's columns, except its time, over the shorter candles that it is folded from. */
const FOLDED = sql`(array_agg(open order by time) filter (where open is not null))[1] as open, max(high) as high, min(low) as low,
  (array_agg(close order by time desc) filter (where close is not null))[1] as close, sum(volume) as volume, sum(trades)::integer as trades,
  false as "isPresent", null::boolean as "inUsd"`

/**
 * Folds candles of an interval from those of a shorter one, newest first.
 *
 * @param selectShorter selects the newest shorter candles of a range, newest first. The range and the count that it gets leave no longer
 * candle incomplete
 */
function foldStoredCandles(
  interval: CandleInterval,
  shorter: StoredInterval,
  { from, to, count }: { readonly from: CandleBound; readonly to: number; readonly count: number },
  selectShorter: (from: CandleBound, to: number, count: number) => RawBuilder<StoredCandle>,
): RawBuilder<StoredCandle> {
  const parts = CANDLE_INTERVALS[interval] / CANDLE_INTERVALS[shorter]
  const last = to + CANDLE_INTERVALS[interval] - CANDLE_INTERVALS[shorter]
  return sql<StoredCandle>`
    select start as time, ${FOLDED}
    from (
      select *, ${startOfCandle(sql`time`, interval)} as start from (${selectShorter(from, last, count * parts)}) as shorter
    ) as parts
    group by start order by start desc limit ${count}::integer`
}

/** `candleStart` in SQL, of a `bigint` of Unix seconds. */
function startOfCandle(time: RawBuilder<unknown>, interval: CandleInterval): RawBuilder<number> {
  return sql<number>`(${time} - (${time} + ${sql.lit(candleOffset(interval))}) % ${sql.lit(CANDLE_INTERVALS[interval])})`
}

/** Volumes are in wei, or in the quote currency's smallest units. Prices in the quote currency are per 10^18 of its smallest units. */
export interface StoredCandle extends Candle {
  /** Whether this is no candle, but the token's price at the newest block after its quote currency's rate has moved. */
  readonly isPresent: boolean
}

/** Unix seconds, or SQL of them. */
type CandleBound = number | RawBuilder<number>

/** Selects a token's present price, if it is not that of its last event, as a row beside its candles in WETH in the newest interval. */
function selectPresentPrice(
  { token, interval }: { readonly token: RawBuilder<unknown>; readonly interval: CandleInterval },
  from: CandleBound,
  to: number,
) {
  return sql<StoredCandle>`
    select present.time, price_weth as open, price_weth as high, price_weth as low, price_weth as close, 0::numeric as volume, 0 as trades, true as "isPresent",
      null::boolean as "inUsd"
    from token cross join lateral (select ${startOfCandle(sql`cursor_timestamp`, interval)} as time from chain_state) as present
    where token.address = ${token} and quote_token is not null and price_weth <> event_price_weth
      and present.time >= ${from}::bigint and present.time <= ${to}::bigint`
}

/**
 * Has the newest candle close at the present price. If that is of a later interval, it gets a candle of its own, which opens at the last
 * close. Without any candle there is no close to open at.
 *
 * @param rows newest first; the present price comes before a candle of the same interval
 */
export function closingAtPresent([present, ...candles]: readonly StoredCandle[]): readonly StoredCandle[] {
  if (present === undefined || !present.isPresent) return present === undefined ? [] : [present, ...candles]
  const [newest, ...older] = candles
  if (newest === undefined) return []
  if (newest.time === present.time) return [extended(newest, present), ...older]
  return [extended({ ...present, open: newest.close, high: newest.close, low: newest.close }, present), ...candles]
}

function extended(candle: StoredCandle, { close }: StoredCandle): StoredCandle {
  const price = parseDecimal(close)
  const isHigher = price > parseDecimal(candle.high)
  const isLower = price < parseDecimal(candle.low)
  return { ...candle, close, high: isHigher ? close : candle.high, low: isLower ? close : candle.low, isPresent: false }
}
