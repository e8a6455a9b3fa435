import { sql } from 'kysely'
import { CANDLE_INTERVALS, candleStart } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { FINAL_BLOCK } from '#store/reads/marketData/finality.ts'

/** A commit waits for one call, which takes some 20 ms for this many rows. */
const ROWS_AT_ONCE = 2_000
const MINUTE = sql`${sql.lit(CANDLE_INTERVALS['1m'])}::integer`
const DAY = CANDLE_INTERVALS['1d']

/**
 * Drops candles of a minute that are older than `retainedSeconds`, day by day, in as many calls as it takes. A day is marked as dropped
 * (`chain_state.minutes_from`) before its first candle is, so that no reader takes part of a day for all of it. Ages are counted from the
 * newest final block, so that no reorg changes a dropped candle, or from the first unfolded candle if that is earlier. To be called in
 * the writer's transactions.
 *
 * @returns whether there may be more to drop
 */
export async function dropMinuteCandles(db: Queryable, retainedSeconds: number): Promise<boolean> {
  const { rows } = await sql<{ readonly minutesFrom: number | null; readonly now: number | null }>`
    select minutes_from as "minutesFrom", (select least(timestamp, unfolded_from) from block where number = ${FINAL_BLOCK}) as now
    from chain_state`.execute(db)
  const { minutesFrom = null, now = null } = rows[0] ?? {}
  if (now === null) return false
  if (minutesFrom !== null && (await dropFrom(db, minutesFrom - DAY, minutesFrom)) === ROWS_AT_ONCE) return true
  const oldest = await readOldest(db, minutesFrom ?? 0)
  const next = oldest === null ? null : candleStart(oldest, '1d') + DAY
  if (next === null || next > candleStart(now - retainedSeconds, '1d')) return false
  await sql`update chain_state set minutes_from = ${next}`.execute(db)
  return true
}

/** Drops some candles between two times. @returns how many */
async function dropFrom(db: Queryable, from: number, to: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from candle where interval_seconds = ${MINUTE} and (time, token) in (
      select time, token from candle where time >= ${from} and time < ${to} and interval_seconds = ${MINUTE} order by time limit ${ROWS_AT_ONCE}
    )`.execute(db)
  return Number(numAffectedRows)
}

/** The time of the oldest candle of a minute from a time on; `null`: there is none. */
async function readOldest(db: Queryable, from: number): Promise<number | null> {
  const { rows } = await sql<{ readonly time: number }>`
    select time from candle where time >= ${from} and interval_seconds = ${MINUTE} order by time limit 1`.execute(db)
  return rows[0]?.time ?? null
}
