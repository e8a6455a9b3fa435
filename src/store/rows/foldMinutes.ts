import { type RawBuilder, sql } from 'kysely'
import type { BatchMode } from '#domain/block.ts'
import { CANDLE_INTERVALS, candleStart, STORED_INTERVALS } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { FINAL_BLOCK } from '#store/reads/page.ts'
import { CANDLE, type CandleRow } from '#tables/candle.ts'
import { greatest, keepFirst, keepLast, least, type Merge, sum } from '#tables/columns.ts'
import type { Statements } from './insertRows.ts'

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

/*
 * A live block writes only candles of a minute. Once an hour `foldMinutes` folds many of them into longer candles, which so include all
 * minutes before `chain_state.unfolded_from`, and none from then on. A longer candle that has not ended by then is the merge of its row, if
 * there is one, and of the candles of a minute from then on.
 */

/** SQL for `ChainCursor.unfoldedFrom`. */
export const UNFOLDED_FROM = '(select unfolded_from from chain_state)'

const MINUTE_SECONDS = CANDLE_INTERVALS[STORED_INTERVALS[0]]
/** SQL for the lengths of the longer intervals, as rows of one column. */
const LONGER_SECONDS = STORED_INTERVALS.slice(1)
  .map(interval => `(${CANDLE_INTERVALS[interval]})`)
  .join(', ')
/** The length of the longest stored interval. */
const DAY_SECONDS = CANDLE_INTERVALS['1d']

/** The aggregate that gives the same as merging many rows, from the earliest to the latest. */
const AGGREGATES: ReadonlyMap<Merge, (column: string) => string> = new Map([
  [keepFirst, column => `(array_agg(${column} order by part.time) filter (where ${column} is not null))[1]`],
  [keepLast, column => `(array_agg(${column} order by part.time desc) filter (where ${column} is not null))[1]`],
  [greatest, column => `max(${column})`],
  [least, column => `min(${column})`],
  [sum, column => `sum(${column})`],
])

/** The columns that are folded, each with its SQL over `part`, the shorter candles of a longer one. */
export const FOLDED_VALUES = CANDLE.columns
  .filter(column => !CANDLE.key.includes(column))
  .map(({ name, type }) => {
    const aggregate = AGGREGATES.get(type.merge)
    if (aggregate === undefined) throw new TypeError(`the merge of candle.${name} has no aggregate`)
    return { name, sql: `${aggregate(`part.${name}`)}::${type.getColumnType()}` }
  })

const NAMES = FOLDED_VALUES.map(({ name }) => name).join(', ')

/** SQL that stands for the table of candles, and gives them complete up to the newest block. */
export const WHOLE_CANDLES = wholeCandlesIn('')

/** As `WHOLE_CANDLES`. @param place the tables' schema in quotes with a dot, or nothing */
export function wholeCandlesIn(place: string): string {
  const from = `(select unfolded_from from ${place}chain_state)`
  return `(
    select time, token, interval_seconds, ${NAMES} from ${place}candle
    where interval_seconds = ${MINUTE_SECONDS} or coalesce(time + interval_seconds <= ${from}, true)
    union all
    select part.start, part.token, part.seconds, ${FOLDED_VALUES.map(value => value.sql).join(', ')}
    from (
      select *, time as start, interval_seconds as seconds from ${place}candle
      where interval_seconds > ${MINUTE_SECONDS} and time > ${from} - ${DAY_SECONDS} and time + interval_seconds > ${from}
      union all
      select candle.*, time - time % seconds, seconds from ${place}candle as candle cross join (values ${LONGER_SECONDS}) as longer (seconds)
      where interval_seconds = ${MINUTE_SECONDS} and time >= ${from}
    ) as part
    group by part.token, part.seconds, part.start
  )`
}

/** A commit waits for one call, which takes some 20 ms for this many rows. */
const DELETED_AT_ONCE = 2_000
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
  if (minutesFrom !== null && (await dropFrom(db, minutesFrom - DAY, minutesFrom)) === DELETED_AT_ONCE) return true
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
      select time, token from candle where time >= ${from} and time < ${to} and interval_seconds = ${MINUTE} order by time limit ${DELETED_AT_ONCE}
    )`.execute(db)
  return Number(numAffectedRows)
}

/** The time of the oldest candle of a minute from a time on; `null`: there is none. */
async function readOldest(db: Queryable, from: number): Promise<number | null> {
  const { rows } = await sql<{ readonly time: number }>`
    select time from candle where time >= ${from} and interval_seconds = ${MINUTE} order by time limit 1`.execute(db)
  return rows[0]?.time ?? null
}
