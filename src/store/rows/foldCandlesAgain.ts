import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp } from './lookUp.ts'
import { FOLDED_VALUES, UNFOLDED_FROM } from './wholeCandles.ts'

/**
 * Computes the longer candles in which a candle of a minute was undone, after those of a minute are restored. Each is folded from candles
 * of the next shorter interval. Candles of a minute are kept for longer than blocks can be undone, and are dropped by whole days. Those
 * that `foldMinutes` has not folded yet are left to it.
 *
 * @param undone selects `token` and `time` of the undone candles; a key may come more than once
 */
export async function foldCandlesAgain(db: Queryable, undone: RawBuilder<unknown>): Promise<void> {
  const folded = sql.join(FOLDED_VALUES.map(value => sql.raw(value.sql)))
  const names = sql.join(FOLDED_VALUES.map(({ name }) => sql.id(name)))
  for (const [index, interval] of STORED_INTERVALS.entries()) {
    const shorter = STORED_INTERVALS[index - 1]
    if (shorter === undefined) continue
    const seconds = sql`${sql.lit(CANDLE_INTERVALS[interval])}::bigint`
    const step = sql.lit(CANDLE_INTERVALS[shorter])
    const touched = sql`with touched as (select distinct token, time - time % ${seconds} as time from (${undone}) as undone)`
    await sql`${touched} delete from candle using touched
      where candle.time = touched.time and candle.token = touched.token and candle.interval_seconds = ${seconds}`.execute(db)
    await sql`${touched} insert into candle (time, token, interval_seconds, ${names})
      select touched.time, touched.token, ${seconds}, ${folded}
      from touched cross join generate_series(touched.time, touched.time + ${seconds} - ${step}, ${step}) as at (time)
      ${lookUp('candle', sql`candle.time = at.time and candle.token = touched.token and candle.interval_seconds = ${step}`, 'part')}
      where ${index === 1 ? sql`coalesce(part.time < ${sql.raw(UNFOLDED_FROM)}, true)` : sql`true`}
      group by touched.time, touched.token`.execute(db)
  }
}
