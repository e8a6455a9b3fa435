import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, candleStart } from '#domain/candle.ts'
import { formatUnits, multiplyTexts } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'
import type { Candle, CandleCurrency, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { joinQuote } from './joinQuote.ts'
import { closingAtPresent, type StoredCandle, selectPresentPrice } from './presentPrice.ts'
import { isIndexed } from './tokens.ts'
import { trimScale, weiToWeth, wholeUnits } from './trimScale.ts'

/**
 * One page of a token's candles, times ascending; `null` when the token is not indexed. A page is the newest `limit` of the asked range,
 * and the next one is older: a chart is drawn at once and filled to the left.
 *
 * With `fill`, intervals without a trade repeat the last close with no volume, from the token's first candle to the interval of the newest
 * indexed block, both within the range. In USD a candle covers the moments at which the USD price was known; without any there is no
 * candle. In a quote currency of unknown decimals there are no candles. In WETH the newest candle closes at the token's present price.
 *
 * Candles of a minute that are no longer kept are left out, also those that are being dropped.
 */
export async function readCandles(db: Queryable, query: CandlesQuery): Promise<Page<Candle, CandleCursor> | null> {
  const step = CANDLE_INTERVALS[query.interval]
  const from = query.from === undefined ? 0 : candleStart(query.from, query.interval)
  const to = candleStart(
    Math.min(query.to ?? Number.MAX_SAFE_INTEGER, query.cursor === undefined ? Number.MAX_SAFE_INTEGER : query.cursor.time - step),
    query.interval,
  )
  const scale = await readScale(db, query)
  if (scale === null) {
    const indexed = await readIndexed(db, query)
    return indexed === null ? null : { data: [], next: null, asOfBlock: indexed.asOfBlock }
  }
  if (!query.fill) {
    const { rows, asOfBlock } = await readAsOf(db, selectCandles(query, from, to, query.limit + 1))
    // Read after the candles: what was dropped before they were read counts as dropped here.
    const keptFrom = await readKeptFrom(db, query)
    const candles = closingAtPresent(rows).filter(({ time }) => time >= keptFrom)
    if (candles.length === 0) return (await isIndexed(db, query.address)) ? emptyPage(asOfBlock, to, keptFrom) : null
    const data = candles.slice(0, query.limit).map(row => toCandle(row, query, scale))
    const oldest = data.at(-1)
    return { data: data.reverse(), next: candles.length > query.limit && oldest !== undefined ? { time: oldest.time } : null, asOfBlock }
  }
  const indexed = await readIndexed(db, query)
  if (indexed === null) return null
  const { asOfBlock } = indexed
  const keptFrom = await readKeptFrom(db, query)
  const end = Math.min(to, candleStart(indexed.timestamp, query.interval))
  const start = Math.max(from, keptFrom, end - (query.limit - 1) * step)
  if (start > end) return emptyPage(asOfBlock, end, keptFrom)
  const [stored, earlier] = await readRangeAndEarlier(db, query, { start, end, keptFrom, scale })
  // Candles of the range may have been dropped before they were read.
  if ((await readKeptFrom(db, query)) !== keptFrom) return readCandles(db, query)
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
  return { data, next: earlier !== null && start > Math.max(from, keptFrom) ? { time: start } : null, asOfBlock }
}

/** From which time on candles of the interval are kept; 0: all are. */
async function readKeptFrom(db: Queryable, { interval }: CandlesQuery): Promise<number> {
  if (interval !== '1m') return 0
  const { rows } = await sql<{ keptFrom: number | null }>`select minutes_from as "keptFrom" from chain_state`.execute(db)
  return rows[0]?.keptFrom ?? 0
}

/** @param end no candle may start after it */
function emptyPage(asOfBlock: string | null, end: number, keptFrom: number): Page<Candle, CandleCursor> {
  const notKept = `candles of one minute are kept from ${keptFrom} on; those of longer intervals go further back`
  return { data: [], next: null, asOfBlock, ...(keptFrom > 0 && end < keptFrom && { notKept }) }
}

/** The newest indexed block; `null` when the token is not indexed. */
async function readIndexed(db: Queryable, query: CandlesQuery) {
  const { rows } = await sql<{ timestamp: number; asOfBlock: string }>`
    select cursor_timestamp as timestamp, cursor_number::text as "asOfBlock" from token cross join chain_state where token.address = ${toBytes(query.address)}
      and cursor_number is not null`.execute(db)
  return rows[0] ?? null
}

/**
 * The stored candles of a range, ascending, and the last one before it. Where that is dropped, a candle of a longer interval stands for it,
 * which has the same close because only whole days are dropped.
 */
async function readRangeAndEarlier(
  db: Queryable,
  query: CandlesQuery,
  { start, end, keptFrom, scale }: { readonly start: number; readonly end: number; readonly keptFrom: number; readonly scale: Scale },
): Promise<readonly [readonly Candle[], Candle | null]> {
  const parts = [selectCandles(query, start, end, query.limit), selectStored(query, 0, start - 1, 1)]
  if (keptFrom > 0) parts.push(selectStored({ ...query, interval: '5m' }, 0, keptFrom - 1, 1))
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

/** Newest first. In WETH the present price comes in addition to `count` candles. */
function selectCandles(query: CandlesQuery, from: number, to: number, count: number) {
  const stored = selectStored(query, from, to, count)
  if (query.currency !== 'weth') return stored
  return sql<StoredCandle>`select * from ((${selectPresentPrice(query, from, to)}) union all (${stored})) as candles
    order by time desc, "isPresent" desc`
}

/**
 * Newest first. In WETH a range is two ranges of the index that holds whole candles: those with USD values and those without. In the quote
 * currency it is three: some have not even prices in WETH.
 */
function selectStored(query: CandlesQuery, from: number, to: number, count: number) {
  const ranges = INDEX_RANGES[query.currency].map(flag => sql`(${selectIndexRange(query, flag, from, to, count)})`)
  return sql<StoredCandle>`select * from (${sql.join(ranges, sql` union all `)}) as ranges order by time desc limit ${count}::integer`
}

const INDEX_RANGES: Readonly<Record<CandleCurrency, readonly (boolean | null)[]>> = {
  usd: [true],
  weth: [true, false],
  quote: [true, false, null],
}

/**
 * One range of the index that holds whole candles: only it has the order by `in_usd`. In the order by time alone, the planner may take the
 * primary key, and read all candles of the token for those of the flag. A sub-select hides the flag from it: by old statistics, all candles
 * may have it. The comparison after the limit, and `in_usd` among the columns, show it that the rows are sorted by time.
 */
function selectIndexRange(
  { address: token, interval, currency }: CandlesQuery,
  inUsd: boolean | null,
  from: number,
  to: number,
  count: number,
) {
  const flag = sql`(select ${sql.lit(inUsd)})`
  const within =
    inUsd === null
      ? sql`in_usd is null and time >= ${from}::bigint and time <= ${to}::bigint`
      : sql`(in_usd, time) >= (${flag}, ${from}::bigint) and (in_usd, time) <= (${flag}, ${to}::bigint)`
  return sql<StoredCandle>`
    select time, ${COLUMNS[currency]}, false as "isPresent", in_usd as "inUsd" from (
      select * from candle
      where token = ${toBytes(token)} and interval_seconds = ${CANDLE_INTERVALS[interval]}::integer and ${within} ${HAS_VALUES[currency]}
      order by in_usd desc, time desc limit ${count}::integer
    ) as candle ${inUsd === null ? sql`` : sql`where in_usd = ${flag}`} order by time desc`
}

/** A peg gives values in USD to candles that have none in WETH. */
const HAS_VALUES: Readonly<Record<CandleCurrency, RawBuilder<unknown>>> = {
  usd: sql``,
  weth: sql`and close is not null`,
  quote: sql``,
}

/** The columns of the quote currency are filled only where that is not WETH. */
const COLUMNS: Readonly<Record<CandleCurrency, RawBuilder<unknown>>> = {
  usd: sql`open_usd as open, high_usd as high, low_usd as low, close_usd as close, volume_usd as volume, trades_usd as trades`,
  weth: sql`open, high, low, close, volume_wei as volume, trades`,
  quote: sql`coalesce(open_quote, open) as open, coalesce(high_quote, high) as high, coalesce(low_quote, low) as low,
    coalesce(close_quote, close) as close, coalesce(volume_quote, volume_wei) as volume, trades`,
}

function toCandle(row: StoredCandle, { currency }: CandlesQuery, { decimals, supply }: Scale): Candle {
  const value = (text: string) => {
    const price = currency === 'quote' ? wholeUnits(trimScale(text), decimals) : trimScale(text)
    return supply === null ? price : multiplyTexts(price, supply)
  }
  return {
    time: row.time,
    open: value(row.open),
    high: value(row.high),
    low: value(row.low),
    close: value(row.close),
    volume:
      currency === 'usd' ? trimScale(row.volume) : currency === 'weth' ? weiToWeth(row.volume) : formatUnits(BigInt(row.volume), decimals),
    trades: row.trades,
  }
}

/** What stored values are multiplied by. */
interface Scale {
  /** Of the currency. */
  readonly decimals: number
  /** Whole tokens, for market caps; `null`: prices are asked for. */
  readonly supply: string | null
}

/** `null`: the token is not indexed, or the decimals of its main pool's currency are asked for and not known. */
async function readScale(db: Queryable, { address: token, of, currency }: CandlesQuery): Promise<Scale | null> {
  if (of === 'price' && currency !== 'quote') return { decimals: WETH_DECIMALS, supply: null }
  const { rows } = await sql<{ supply: string; decimals: number; quote: number | null }>`
    select token.total_supply as supply, token.decimals, quote.decimals as quote from token
    left join pool on pool.address = token.main_pool ${joinQuote(sql`pool.quote_token`)}
    where token.address = ${toBytes(token)}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const decimals = currency === 'quote' ? row.quote : WETH_DECIMALS
  if (decimals === null) return null
  return { decimals, supply: of === 'price' ? null : formatUnits(BigInt(row.supply), row.decimals) }
}
