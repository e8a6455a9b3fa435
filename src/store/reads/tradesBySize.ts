import { type RawBuilder, sql } from 'kysely'
import { weiFrom } from '#domain/tradeSize.ts'
import type { Page } from '#resources/resource.ts'
import type { TokenTradeCursor, Trade, TradesQuery } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { IS_BUY } from '#tables/trade.ts'
import { readAsOf } from './asOf.ts'
import { pageOf } from './pageOf.ts'
import { allOf } from './tokenFilters.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'

const BUYS = sql`(trade.${sql.raw(IS_BUY)})`

/**
 * One page of a token's trades by their value in WETH, then by (block number, log index). Trades of an unknown value are left out. Buys
 * are one range of the index `trade_by_token_amount`, and sales another.
 */
export async function readTradesBySize(db: Queryable, query: TradesQuery): Promise<Page<Trade, TokenTradeCursor>> {
  const { side, limit, order } = query
  const direction = order === 'desc' ? sql`desc` : sql`asc`
  const places = (first: readonly RawBuilder<unknown>[]) =>
    sql.join([...first, sql`trade.amount_wei`, sql`trade.block_number`, sql`trade.log_index`].map(column => sql`${column} ${direction}`))
  const ofSides = (side === undefined ? ['buy', 'sell'] : [side]).map(
    one => sql`(select * from trade where ${rangeOf(query, one)} order by ${places([BUYS])} limit ${limit + 1})`,
  )
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<SelectedTrade>`select ${SELECTED_TRADE} from (${sql.join(ofSides, sql` union all `)}) as trade
      order by ${places([])} limit ${limit + 1}`,
  )
  const { shown, next } = pageOf(rows, limit, row => ({
    blockNumber: row['trade.blockNumber'],
    logIndex: row['trade.logIndex'],
    amountWei: row['trade.amountWei'],
  }))
  return { data: shown.map(toTrade), next, asOfBlock }
}

/** The side is compared in one row with the columns after it: only this index fits the token and has that order. */
function rangeOf({ address, minWeth = '0', order, cursor }: TradesQuery, side: string): RawBuilder<unknown> {
  const of = sql.lit(side === 'buy')
  const least = sql`(${BUYS}, trade.amount_wei) >= (${of}, ${weiFrom(minWeth).toString()}::numeric)`
  const most = sql`(${BUYS}) <= (${of})`
  const place = (sign: RawBuilder<unknown>, { amountWei, blockNumber, logIndex }: TokenTradeCursor) =>
    sql`(${BUYS}, trade.amount_wei, trade.block_number, trade.log_index) ${sign}
      (${of}, ${amountWei ?? '0'}::numeric, ${blockNumber}::bigint, ${logIndex}::bigint)`
  const ends = order === 'desc' ? [cursor ? place(sql`<`, cursor) : most, least] : [cursor ? place(sql`>`, cursor) : least, most]
  return allOf([sql`trade.token = ${toBytes(address)}::bytea`, sql`trade.amount_wei is not null`, ...ends])
}
