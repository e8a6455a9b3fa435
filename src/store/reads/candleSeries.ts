import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { CANDLE_INTERVALS, type CandleInterval, candleSourceOf, candleStart } from '#domain/candle.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import type { Candle, CandleSeries, CandleSeriesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import type { PriceLine, SparklinesQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp } from '#store/rows/insertRows.ts'
import { toBytes } from '#tables/columns.ts'
import { closingAtPresent, readKeptFrom, readScales, type StoredCandle, selectCandles, startOfPage, toCandle } from './candles.ts'
import { readAsOf, trimScale } from './page.ts'

const LATEST = Number.MAX_SAFE_INTEGER - CANDLE_INTERVALS['1w']

/** The newest candles of each token, as `readCandles` gives them, in the order of the query. Tokens that are not indexed are left out. */
export async function readCandleSeries(db: Queryable, query: CandleSeriesQuery): Promise<Page<CandleSeries, never>> {
  const { tokens, limit } = query
  const asked = query.from === undefined ? 0 : candleStart(query.from, query.interval)
  const scales = await readScales(db, tokens, query)
  const selection = { ...query, token: sql`asked.address` }
  const isOfTrades = candleSourceOf(query.interval).type === 'trades'
  const from = isOfTrades ? sql<number>`greatest(${asked}::bigint, ${startOfPage(selection, LATEST, tokens.length)})` : asked
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<{ readonly address: Address } & (StoredCandle | { readonly time: null })>`
      select token.address, candle.* from unnest(${tokens.map(toBytes)}::bytea[]) with ordinality as asked (address, number)
      ${lookUp('token', sql`token.address = asked.address`)}
      left join lateral (${selectCandles(selection, from, LATEST, limit)}) as candle on true
      order by asked.number, candle.time desc, candle."isPresent" desc`,
  )
  // This is read after the candles, so that candles of a day that was being dropped count as dropped.
  const keptFrom = await readKeptFrom(db, query)
  const byToken = Map.groupBy(rows, ({ address }) => address)
  const data = [...byToken].map(([token, listed]): CandleSeries => {
    const scale = scales.get(token)
    const stored = listed.flatMap(row => (row.time === null ? [] : [row]))
    const candles = closingAtPresent(stored).filter(({ time }) => time >= keptFrom)
    return {
      token,
      candles:
        scale === undefined
          ? []
          : candles
              .slice(0, limit)
              .map(row => toCandle(row, query, scale))
              .reverse(),
    }
  })
  return { data, next: null, asOfBlock }
}

interface ShownToken {
  readonly address: Address
  readonly createdAt: number
  readonly now: number
  /** The price from which the change over 24 hours is measured; `null`: no change is known. */
  readonly reference: string | null
  readonly price: string | null
}

/** A line has candles of the shortest of these intervals that gives it at most `MAX_CANDLES`. */
const INTERVALS = ['1m', '5m', '15m', '1h'] as const satisfies readonly CandleInterval[]
const MAX_CANDLES = 25

/** The lines of tokens, in the order of the query. Tokens that are not indexed are left out. */
export async function readSparklines(db: Queryable, { tokens }: SparklinesQuery): Promise<Page<PriceLine, never>> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<ShownToken>`
      select token.address, token.created_at as "createdAt", (select cursor_timestamp from chain_state) as now,
        case when token.price_change_h24 is not null then coalesce(token.reference_price_h24, token.first_price_weth) end as reference, token.price_weth as price
      from unnest(${tokens.map(toBytes)}::bytea[]) with ordinality as asked (address, number)
      ${lookUp('token', sql`token.address = asked.address`)}
      order by asked.number`,
  )
  const closes = new Map<Address, readonly Candle[]>()
  for (const [interval, group] of Map.groupBy(rows, intervalOf)) {
    const query = { tokens: group.map(({ address }) => address), interval, of: 'price', currency: 'weth' } as const
    const { data } = await readCandleSeries(db, { ...query, limit: MAX_CANDLES, from: Math.min(...group.map(startOf)) })
    for (const { token, candles } of data) closes.set(token, candles)
  }
  return { data: rows.map(row => lineOf(row, closes.get(row.address) ?? [])), next: null, asOfBlock }
}

function startOf({ createdAt, now }: ShownToken): number {
  return Math.max(createdAt, now - WINDOW_SECONDS.h24)
}

function intervalOf(token: ShownToken): CandleInterval {
  const age = token.now - startOf(token)
  return INTERVALS.find(interval => age <= (MAX_CANDLES - 1) * CANDLE_INTERVALS[interval]) ?? '1h'
}

/** A candle's close is placed at the candle's end. The newest block's candle has not ended, so the present price takes its place. */
function lineOf(token: ShownToken, candles: readonly Candle[]): PriceLine {
  const { address, reference, price, now } = token
  if (reference === null || price === null) return { token: address, times: [], prices: [] }
  const start = startOf(token)
  const length = CANDLE_INTERVALS[intervalOf(token)]
  const points = [
    { time: start, price: reference },
    ...candles.map(({ time, close }) => ({ time: time + length, price: close })).filter(({ time }) => time > start && time < now),
    ...(now > start ? [{ time: now, price }] : []),
  ]
  return { token: address, times: points.map(({ time }) => time), prices: points.map(point => trimScale(point.price)) }
}
