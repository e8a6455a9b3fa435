import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, type CandleInterval, candleOffset } from '#domain/candle.ts'

/** `candleStart` in SQL, of a `bigint` of Unix seconds. */
export function startOfCandle(time: RawBuilder<unknown>, interval: CandleInterval): RawBuilder<number> {
  return sql<number>`(${time} - (${time} + ${sql.lit(candleOffset(interval))}) % ${sql.lit(CANDLE_INTERVALS[interval])})`
}
