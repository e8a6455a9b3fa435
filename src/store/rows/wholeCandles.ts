import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { CANDLE } from '#tables/candle.ts'
import { greatest, keepFirst, keepLast, least, type Merge, sum } from '#tables/columns.ts'

/*
 * A live block writes only candles of a minute. Once an hour `foldMinutes` folds many of them into longer candles, which so include all
 * minutes before `chain_state.unfolded_from`, and none from then on. A longer candle that has not ended by then is the merge of its row, if
 * there is one, and of the candles of a minute from then on.
 */

/** SQL for `ChainCursor.unfoldedFrom`. */
export const UNFOLDED_FROM = '(select unfolded_from from chain_state)'

export const MINUTE_SECONDS = CANDLE_INTERVALS[STORED_INTERVALS[0]]
/** SQL for the lengths of the longer intervals, as rows of one column. */
export const LONGER_SECONDS = STORED_INTERVALS.slice(1)
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
