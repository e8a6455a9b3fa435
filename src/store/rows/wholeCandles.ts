import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { CANDLE } from '#tables/candle.ts'
import { greatest, keepFirst, keepLast, least, type Merge, sum } from '#tables/columns.ts'

/*
 * A live block writes candles of a minute only. Longer ones get them once an hour, many at a time (`foldMinutes.ts`): they hold all that
 * is in candles of a minute before `chain_state.unfolded_from`, and nothing that is later. So a longer candle that has not ended by then is
 * the sum of its row, if there is one, and of the candles of a minute from then on.
 */

/** In SQL; `null`: longer candles hold everything. */
export const UNFOLDED_FROM = '(select unfolded_from from chain_state)'

export const MINUTE_SECONDS = CANDLE_INTERVALS[STORED_INTERVALS[0]]
/** As rows of one column, for `values`. */
export const LONGER_SECONDS = STORED_INTERVALS.slice(1)
  .map(interval => `(${CANDLE_INTERVALS[interval]})`)
  .join(', ')
/** Of the longest stored interval. */
const DAY_SECONDS = CANDLE_INTERVALS['1d']

/** What a merge gives for many rows, from the earliest to the latest. */
const AGGREGATES: ReadonlyMap<Merge, (column: string) => string> = new Map([
  [keepFirst, column => `(array_agg(${column} order by part.time) filter (where ${column} is not null))[1]`],
  [keepLast, column => `(array_agg(${column} order by part.time desc) filter (where ${column} is not null))[1]`],
  [greatest, column => `max(${column})`],
  [least, column => `min(${column})`],
  [sum, column => `sum(${column})`],
])

/** The columns that are folded, and SQL of each over the candles `part` that make one. */
export const FOLDED_VALUES = CANDLE.columns
  .filter(column => !CANDLE.key.includes(column))
  .map(({ name, type }) => {
    const aggregate = AGGREGATES.get(type.merge)
    if (aggregate === undefined) throw new TypeError(`the merge of candle.${name} has no aggregate`)
    return { name, sql: `${aggregate(`part.${name}`)}::${type.getColumnType()}` }
  })

const NAMES = FOLDED_VALUES.map(({ name }) => name).join(', ')

/** SQL of all candles of the stored intervals as the newest block has left them, in place of the table. */
export const WHOLE_CANDLES = wholeCandlesIn('')

/** @param place of the tables: a schema in quotes with a dot, or nothing */
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
