import { type RawBuilder, sql } from 'kysely'
import type { SortOrder, TradeCursor } from '#domain/queries.ts'
import type { BlockBounds } from './blockBounds.ts'

/** Places of trades, both exclusive. */
export interface TradeRange {
  readonly after: TradeCursor
  readonly before: TradeCursor
}

interface RangeQuery extends BlockBounds {
  readonly cursor?: TradeCursor
  readonly order: SortOrder
}

/** Where the trades of a page can be. */
export function tradeRange({ fromBlock = 0, toBlock = Number.MAX_SAFE_INTEGER - 1, cursor, order }: RangeQuery): TradeRange {
  const first = { blockNumber: fromBlock, logIndex: -1 }
  const last = { blockNumber: toBlock + 1, logIndex: -1 }
  if (cursor === undefined) return { after: first, before: last }
  return order === 'asc'
    ? { after: isBefore(first, cursor) ? cursor : first, before: last }
    : { after: first, before: isBefore(cursor, last) ? cursor : last }
}

function isBefore(one: TradeCursor, other: TradeCursor): boolean {
  return one.blockNumber < other.blockNumber || (one.blockNumber === other.blockNumber && one.logIndex < other.logIndex)
}

/** A column of an index, or its expression, and what it has to equal. */
export interface Equality {
  readonly column: RawBuilder<unknown>
  readonly value: RawBuilder<unknown>
}

interface TradeStretch {
  readonly where: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
  /** A condition that ends the stretch, inclusive. Block and log index are SQL. */
  endingAt(block: RawBuilder<unknown>, log: RawBuilder<unknown>): RawBuilder<unknown>
}

/**
 * One stretch of the index of trades that begins with these columns and goes on with the place. The first column is compared by itself, the
 * others in one row with the place: only this index fits the first column and has that order. With an equality for each column, the planner
 * may take an index that fits some of them, and read all trades of a maker, of a token or of the market.
 */
export function tradeStretch(equalities: readonly Equality[], { after, before }: TradeRange, order: SortOrder): TradeStretch {
  const [first, others] = equalities.length > 1 ? [equalities[0], equalities.slice(1)] : [undefined, equalities]
  const place = [sql`trade.block_number`, sql`trade.log_index`]
  const columns = [...others.map(({ column }) => column), ...place]
  const row = sql`(${sql.join(columns)})`
  const rowAt = (block: RawBuilder<unknown>, log: RawBuilder<unknown>) =>
    sql`(${sql.join([...others.map(({ value }) => value), block, log])})`
  const rowOf = ({ blockNumber, logIndex }: TradeCursor) => rowAt(sql`${blockNumber}::bigint`, sql`${logIndex}::integer`)
  const near = order === 'desc' ? sql`desc` : sql`asc`
  return {
    where: sql`${first === undefined ? sql`` : sql`${first.column} = ${first.value} and`} ${row} > ${rowOf(after)} and ${row} < ${rowOf(before)}`,
    orderBy: sql`order by ${sql.join(columns.map(column => sql`${column} ${near}`))}`,
    endingAt: (block, log) => sql`${row} ${order === 'desc' ? sql`>=` : sql`<=`} ${rowAt(block, log)}`,
  }
}
