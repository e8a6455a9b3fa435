import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { CANDLE_INTERVALS, candleSourceOf, candleStart } from '#domain/candle.ts'
import type { CandleSeries, CandleSeriesQuery } from '#resources/candles.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { closingAtPresent, type StoredCandle } from './presentPrice.ts'
import { startOfPage } from './secondCandles.ts'
import { readKeptFrom, readScales, selectCandles, toCandle } from './storedCandles.ts'

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
