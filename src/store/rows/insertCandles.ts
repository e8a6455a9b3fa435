import { type RawBuilder, sql } from 'kysely'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { arrayOf, INTEGER } from '#tables/binaryArray.ts'
import { CANDLE, type CandleRow } from '#tables/candle.ts'
import { insertRows, ROWS_PER_STATEMENT, type Statements, unnested } from './insertRows.ts'
import { parameter } from './parameter.ts'
import type { Split } from './splitNewRows.ts'

/** A token's candle of the shortest interval, whose values are those of its candles of every interval. */
interface AlikeCandle extends CandleRow {
  /** In how many of the intervals, from the shortest on, the candle is new. */
  readonly added: number
}

const INTERVALS = sql.raw(STORED_INTERVALS.map((interval, place) => `(${place}, ${CANDLE_INTERVALS[interval]})`).join(', '))
const SENT = CANDLE.columns.filter(({ field }) => field !== 'intervalSeconds')
const NAMES = sql.join(CANDLE.columns.map(({ name }) => sql.id(name)))
const VALUES = sql.join(
  CANDLE.columns.map(({ name, field }) => {
    if (field === 'time') return sql`sent.time - sent.time % interval.seconds`
    return field === 'intervalSeconds' ? sql`interval.seconds` : sql.ref(`sent.${name}`)
  }),
)

/**
 * Inserts new candles, and merges the others. Those of one block have the same values in every interval: they are sent once per token, and
 * PostgreSQL makes the rows of all intervals of them.
 */
export function* insertCandles(candles: Split<CandleRow>): Statements {
  const alike = alikeCandles(candles)
  if (alike === null) {
    yield* insertRows(CANDLE, candles.added)
    yield* insertRows(CANDLE, candles.merged, CANDLE.merge)
    return
  }
  for (let at = 0; at < alike.length; at += ROWS_PER_STATEMENT) {
    const some = alike.slice(at, at + ROWS_PER_STATEMENT)
    const [added, merged] = [some.filter(one => one.added > 0), some.filter(one => one.added < STORED_INTERVALS.length)]
    if (added.length > 0) yield insertInto(added, sql`interval.place < sent.added`)
    if (merged.length > 0) yield sql`${insertInto(merged, sql`interval.place >= sent.added`)} ${sql.raw(CANDLE.merge)}`
  }
}

function insertInto(candles: readonly AlikeCandle[], isWanted: RawBuilder<unknown>): RawBuilder<unknown> {
  const counts = parameter(arrayOf(INTEGER, candles, 'added'), 'integer[]')
  return sql`insert into ${sql.id(CANDLE.name)} (${NAMES}) select ${VALUES}
    from (select ${unnested(SENT, candles)}, unnest(${counts}) as added) as sent
    cross join (values ${INTERVALS}) as interval (place, seconds) where ${isWanted}`
}

/** `null`: a token has several candles of one interval. */
function alikeCandles({ added, merged }: Split<CandleRow>): readonly AlikeCandle[] | null {
  const shortest = [...added, ...merged].filter(({ intervalSeconds }) => intervalSeconds === CANDLE_INTERVALS[STORED_INTERVALS[0]])
  const tokens = new Set(shortest.map(({ token }) => token))
  const isOneEach = tokens.size === shortest.length && added.length + merged.length === tokens.size * STORED_INTERVALS.length
  if (!isOneEach) return null
  // A longer candle has begun where a shorter one has, so that the new ones are the shortest ones.
  const addedOf = Map.groupBy(added, ({ token }) => token)
  return shortest.map(candle => ({ ...candle, added: addedOf.get(candle.token)?.length ?? 0 }))
}
