import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, type CandleInterval, type StoredInterval } from '#domain/candle.ts'
import type { CandleBound, StoredCandle } from './presentPrice.ts'
import { startOfCandle } from './startOfCandle.ts'

/** SQL of a candle's columns, except its time, over the shorter candles that it is folded from. */
export const FOLDED = sql`(array_agg(open order by time) filter (where open is not null))[1] as open, max(high) as high, min(low) as low,
  (array_agg(close order by time desc) filter (where close is not null))[1] as close, sum(volume) as volume, sum(trades)::integer as trades,
  false as "isPresent", null::boolean as "inUsd"`

/**
 * Folds candles of an interval from those of a shorter one, newest first.
 *
 * @param selectShorter selects the newest shorter candles of a range, newest first. The range and the count that it gets leave no longer
 * candle incomplete
 */
export function foldStoredCandles(
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
