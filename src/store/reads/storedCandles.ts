import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { CANDLE_INTERVALS, candleSourceOf, STORED_INTERVALS, type StoredInterval } from '#domain/candle.ts'
import { formatUnits, multiplyTexts } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'
import type { Candle, CandleCurrency, CandlesQuery } from '#resources/candles.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { UNFOLDED_FROM } from '#store/rows/wholeCandles.ts'
import { toBytes } from '#tables/toBytes.ts'
import { FOLDED, foldStoredCandles } from './foldedCandles.ts'
import { joinQuote } from './joinQuote.ts'
import { type CandleBound, type StoredCandle, selectPresentPrice } from './presentPrice.ts'
import { readSecondsFrom, selectSecondCandles } from './secondCandles.ts'
import { startOfCandle } from './startOfCandle.ts'
import { trimScale, weiToWeth, wholeUnits } from './trimScale.ts'

export interface CandleSelection extends Pick<CandlesQuery, 'interval' | 'currency'> {
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
export function selectPast(query: CandleSelection, from: CandleBound, to: number, count: number): RawBuilder<StoredCandle> {
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
export interface Scale {
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
