import { sql } from 'kysely'
import { CANDLE_INTERVALS, candleSourceOf, candleStart } from '#domain/candle.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { pageOf } from './pageOf.ts'
import { closingAtPresent, type StoredCandle } from './presentPrice.ts'
import { selectCloseBefore, startOfPage } from './secondCandles.ts'
import { type CandleSelection, readKeptFrom, readScales, type Scale, selectCandles, selectPast, toCandle } from './storedCandles.ts'
import { isIndexed } from './tokens.ts'

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
