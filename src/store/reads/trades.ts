import { sql } from 'kysely'
import type { TradeSide } from '#domain/trade.ts'
import type { Page } from '#resources/resource.ts'
import type { TokenTradeCursor, Trade, TradesQuery } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { readBlockBounds } from './blockBounds.ts'
import { readMarketTrades } from './marketTrades.ts'
import { pageOf } from './pageOf.ts'
import { isIndexed } from './tokens.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'
import { type Equality, tradeIndexRange, tradeRange } from './tradeIndexRange.ts'
import { readTradesBySize } from './tradesBySize.ts'

const SIDES: readonly TradeSide[] = ['buy', 'sell']

/**
 * One page of a token's trades by (block number, log index), or by size; `null` when the token is not indexed. The indexes include the
 * side, so that a page of a rare side costs no more. A page of both sides is merged from two ranges.
 */
export async function readTrades(db: Queryable, query: TradesQuery): Promise<Page<Trade, TokenTradeCursor> | null> {
  const { address: token, maker, side, limit, minWeth } = query
  const ofIndexed = async (page: Page<Trade, TokenTradeCursor>) =>
    page.data.length === 0 && page.next === null && !(await isIndexed(db, token)) ? null : page
  if (query.sort === 'size') return ofIndexed(await readTradesBySize(db, query))
  if (minWeth !== undefined) {
    return ofIndexed(await readMarketTrades(db, { ...query, tokens: [token], ...(maker === undefined ? {} : { makers: [maker] }) }))
  }
  const range = tradeRange({ ...query, ...(await readBlockBounds(db, query)) })
  const direction = query.order === 'desc' ? sql`desc` : sql`asc`
  const ordered = sql`order by trade.block_number ${direction}, trade.log_index ${direction}`
  // Each side comes in order, so that the two are merged, not sorted. "isOf" shows the planner that the rows differ only in their places.
  const sides = (side === undefined ? SIDES : [side]).map(one => {
    const equalities = equalitiesOf(query, one)
    const { where, orderBy } = tradeIndexRange(equalities, range, query.order)
    const isOf = sql.join(
      equalities.map(({ column, value }) => sql`${column} = ${value}`),
      sql` and `,
    )
    return sql`(select * from (select * from trade where ${where} ${orderBy} limit ${limit + 1}) as trade where ${isOf} ${ordered})`
  })
  const page = sql<SelectedTrade>`
    select ${SELECTED_TRADE} from (${sql.join(sides, sql` union all `)}) as trade ${ordered} limit ${limit + 1}`
  const { rows, asOfBlock } = await readAsOf(db, page)
  const { shown, next } = pageOf(rows.map(toTrade), limit, ({ blockNumber, logIndex }) => ({ blockNumber: Number(blockNumber), logIndex }))
  return ofIndexed({ data: shown, next, asOfBlock })
}

/** A sub-select hides the value from the planner, which would use the index of wallets for a maker that it believes to be rare. */
function equalitiesOf({ address: token, maker }: TradesQuery, side: TradeSide): readonly Equality[] {
  return [
    { column: sql`trade.token`, value: sql`${toBytes(token)}::bytea` },
    ...(maker === undefined ? [] : [{ column: sql`trade.maker`, value: sql`(select ${toBytes(maker)}::bytea)` }]),
    { column: sql`trade.side`, value: sql`(select ${side}::text)` },
  ]
}
