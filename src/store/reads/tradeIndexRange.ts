import { type RawBuilder, sql } from 'kysely'
import { comparePlaces } from '#domain/eventPlace.ts'
import type { TradeCursor } from '#resources/trades.ts'
import type { BlockBounds } from './blockBounds.ts'
import { allOf } from './tokenFilters.ts'

/** The trades between two places, both exclusive; `null`: no bound. */
export interface TradeRange {
  readonly after: TradeCursor | null
  readonly before: TradeCursor | null
}

interface RangeQuery extends BlockBounds {
  readonly cursor?: TradeCursor
  readonly order: 'asc' | 'desc'
}

/** The range in which the trades of a page can be. */
export function tradeRange({ fromBlock, toBlock, cursor, order }: RangeQuery): TradeRange {
  const first = fromBlock === undefined ? null : { blockNumber: fromBlock, logIndex: -1 }
  const last = toBlock === undefined ? null : { blockNumber: toBlock + 1, logIndex: -1 }
  if (cursor === undefined) return { after: first, before: last }
  return order === 'asc'
    ? { after: first === null || comparePlaces(first, cursor) < 0 ? cursor : first, before: last }
    : { after: first, before: last === null || comparePlaces(cursor, last) < 0 ? cursor : last }
}

/** A column of an index, or its expression, and the value that it has to equal. */
export interface Equality {
  readonly column: RawBuilder<unknown>
  readonly value: RawBuilder<unknown>
}

interface TradeIndexRange {
  /** The conditions for trades of the range. */
  readonly where: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
  /** As `where`, but the range ends with the trade at a place, given as SQL. A place that is `null` does not bound it. */
  endingAt(block: RawBuilder<unknown>, log: RawBuilder<unknown>): RawBuilder<unknown>
}

/** Places before and after every trade. */
const FIRST_PLACE: TradeCursor = { blockNumber: -1, logIndex: -1 }
const LAST_PLACE: TradeCursor = { blockNumber: Number.MAX_SAFE_INTEGER, logIndex: 0 }

/**
 * One range of the index of trades that begins with these columns and goes on with the place. The first column is compared by itself, the
 * others in one row with the place: only this index fits the first column and has that order. With an equality for each column, the planner
 * may use an index that fits some of them, and read all trades of a maker, of a token or of the market.
 *
 * Each end has one bound. With two, PostgreSQL would read on beyond the nearer one. An end without a place is compared without it, which is
 * several times faster.
 */
export function tradeIndexRange(equalities: readonly Equality[], { after, before }: TradeRange, order: 'asc' | 'desc'): TradeIndexRange {
  const [first, others] = equalities.length > 1 ? [equalities[0], equalities.slice(1)] : [undefined, equalities]
  const columns = others.map(({ column }) => column)
  const values = others.map(({ value }) => value)
  const places = [...columns, sql`trade.block_number`, sql`trade.log_index`]
  const compare = (sign: RawBuilder<unknown>, block: RawBuilder<unknown>, log: RawBuilder<unknown>) =>
    sql`(${sql.join(places)}) ${sign} (${sql.join([...values, block, log])})`
  const bound = (sign: RawBuilder<unknown>, place: TradeCursor | null): readonly RawBuilder<unknown>[] => {
    if (place !== null) return [compare(sign, sql`${place.blockNumber}::bigint`, sql`${place.logIndex}::bigint`)]
    return others.length === 0 ? [] : [sql`(${sql.join(columns)}) ${sign}= (${sql.join(values)})`]
  }
  const isDescending = order === 'desc'
  const [near, far] = isDescending ? [before, after] : [after, before]
  const [beyond, within, direction] = isDescending ? [sql`<`, sql`>`, sql`desc`] : [sql`>`, sql`<`, sql`asc`]
  const start = [...(first === undefined ? [] : [sql`${first.column} = ${first.value}`]), ...bound(beyond, near)]
  // No trade is at the place of the far bound, which bounds blocks. So the comparison may include it.
  const { blockNumber, logIndex } = far ?? (isDescending ? FIRST_PLACE : LAST_PLACE)
  return {
    where: allOf([...start, ...bound(within, far)]),
    orderBy: sql`order by ${sql.join(places.map(column => sql`${column} ${direction}`))}`,
    endingAt: (block, log) =>
      allOf([
        ...start,
        compare(sql`${within}=`, sql`coalesce(${block}, ${blockNumber}::bigint)`, sql`coalesce(${log}, ${logIndex}::bigint)`),
      ]),
  }
}
