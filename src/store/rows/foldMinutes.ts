import { type RawBuilder, sql } from 'kysely'
import type { BatchMode } from '#domain/batch.ts'
import { CANDLE_INTERVALS, candleStart, STORED_INTERVALS } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { CANDLE, type CandleRow } from '#tables/candle.ts'
import type { Statements } from './insertRows.ts'
import { FOLDED_VALUES, LONGER_SECONDS, MINUTE_SECONDS, UNFOLDED_FROM } from './wholeCandles.ts'

/** A commit waits for one call, which takes some 100 ms for this many rows. */
const ROWS_AT_ONCE = 10_000

/** What a batch does with longer candles: writes them now, leaves them to `foldMinutes`, or first folds all candles of a minute. */
export type LongerCandles = 'now' | 'later' | 'foldFirst'

/** @param unfoldedFrom as in `ChainCursor` */
export function longerCandlesOf(candles: readonly CandleRow[], mode: BatchMode, unfoldedFrom: number | null): LongerCandles {
  if (unfoldedFrom === null) return 'now'
  if (mode === 'range') return 'foldFirst'
  const isLate = new Set(candles.filter(isOfMinute).map(({ time }) => time < unfoldedFrom))
  return isLate.size === 2 ? 'foldFirst' : isLate.has(true) ? 'now' : 'later'
}

export function isOfMinute({ intervalSeconds }: CandleRow): boolean {
  return intervalSeconds === CANDLE_INTERVALS[STORED_INTERVALS[0]]
}

/** Leaves candles of later minutes to `foldMinutes`, once all stored candles of a minute are folded. */
export function deferLongerCandles(): RawBuilder<unknown> {
  return sql`update chain_state set unfolded_from = (select max(time) + ${sql.lit(MINUTE_SECONDS)} from candle)`
}

/** Folds all candles of a minute, and has batches write longer candles at once. @param which a condition on `minute` */
export function* foldAllMinutes(which: RawBuilder<unknown> = sql`true`): Statements {
  yield fold(which)
  yield sql`update chain_state set unfolded_from = null`
}

/**
 * Folds candles of a minute into longer ones up to the hour of the newest block, in as many calls as it takes. To be called in the writer's
 * transactions.
 *
 * @returns whether there may be more to fold
 */
export async function foldMinutes(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ readonly from: number | null; readonly now: number | null; readonly next: number | null }>`
    select unfolded_from as "from", cursor_timestamp as now, (
      select time from candle where time >= unfolded_from and interval_seconds = ${sql.lit(MINUTE_SECONDS)}
      order by time offset ${sql.lit(ROWS_AT_ONCE)} limit 1
    ) as next from chain_state`.execute(db)
  const { from = null, now = null, next = null } = rows[0] ?? {}
  if (from === null || now === null) return false
  const hour = candleStart(now, '1h')
  if (from >= hour) return false
  const until = Math.min(hour, next === null ? hour : Math.max(next, from + MINUTE_SECONDS))
  await fold(sql`minute.time < ${until}::bigint`).execute(db)
  await sql`update chain_state set unfolded_from = ${until}`.execute(db)
  return until < hour
}

function fold(which: RawBuilder<unknown>): RawBuilder<unknown> {
  const names = sql.join(FOLDED_VALUES.map(({ name }) => sql.id(name)))
  return sql`insert into candle (time, token, interval_seconds, ${names})
    select part.time - part.time % seconds, part.token, seconds, ${sql.join(FOLDED_VALUES.map(value => sql.raw(value.sql)))}
    from (
      select * from candle as minute
      where interval_seconds = ${sql.lit(MINUTE_SECONDS)} and minute.time >= ${sql.raw(UNFOLDED_FROM)} and ${which} offset 0
    ) as part cross join (values ${sql.raw(LONGER_SECONDS)}) as longer (seconds)
    group by part.token, seconds, part.time - part.time % seconds ${sql.raw(CANDLE.merge)}`
}
