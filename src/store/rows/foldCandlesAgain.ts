import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { lookUp } from './lookUp.ts'
import { FOLDED_VALUES, UNFOLDED_FROM } from './wholeCandles.ts'

/** A candle of a minute. */
export interface CandlePlace {
  readonly token: Address
  readonly time: number
}

/** SQL that defines `touched`: the longer candles of an interval in which the candles of a minute are. */
function touchedBy(undone: readonly CandlePlace[], seconds: RawBuilder<unknown>): RawBuilder<unknown> {
  const tokens = undone.map(({ token }) => toBytes(token))
  return sql`with touched as (
    select distinct token, time - time % ${seconds} as time
    from unnest(${tokens}::bytea[], ${undone.map(({ time }) => time)}::bigint[]) as undone (token, time))`
}

/** Deletes the longer candles that `foldCandlesAgain` computes. */
export async function dropLongerCandles(db: Queryable, undone: readonly CandlePlace[]): Promise<void> {
  if (undone.length === 0) return
  for (const interval of STORED_INTERVALS.slice(1)) {
    const seconds = sql`${sql.lit(CANDLE_INTERVALS[interval])}::bigint`
    await sql`${touchedBy(undone, seconds)} delete from candle using touched
      where candle.time = touched.time and candle.token = touched.token and candle.interval_seconds = ${seconds}`.execute(db)
  }
}

/**
 * Computes the longer candles in which a candle of a minute was undone, after those of a minute are restored and `dropLongerCandles`. Each
 * is folded from candles of the next shorter interval. Candles of a minute are kept for longer than blocks can be undone, and are dropped
 * by whole days. Those that `foldMinutes` has not folded yet are left to it.
 */
export async function foldCandlesAgain(db: Queryable, undone: readonly CandlePlace[]): Promise<void> {
  if (undone.length === 0) return
  const folded = sql.join(FOLDED_VALUES.map(value => sql.raw(value.sql)))
  const names = sql.join(FOLDED_VALUES.map(({ name }) => sql.id(name)))
  for (const [index, interval] of STORED_INTERVALS.entries()) {
    const shorter = STORED_INTERVALS[index - 1]
    if (shorter === undefined) continue
    const seconds = sql`${sql.lit(CANDLE_INTERVALS[interval])}::bigint`
    const step = sql.lit(CANDLE_INTERVALS[shorter])
    await sql`${touchedBy(undone, seconds)} insert into candle (time, token, interval_seconds, ${names})
      select touched.time, touched.token, ${seconds}, ${folded}
      from touched cross join generate_series(touched.time, touched.time + ${seconds} - ${step}, ${step}) as at (time)
      ${lookUp('candle', sql`candle.time = at.time and candle.token = touched.token and candle.interval_seconds = ${step}`, 'part')}
      where ${index === 1 ? sql`coalesce(part.time < ${sql.raw(UNFOLDED_FROM)}, true)` : sql`true`}
      group by touched.time, touched.token`.execute(db)
  }
}
