import { type RawBuilder, sql } from 'kysely'
import { toBytes } from '#database/bytes.ts'
import type { Queryable } from '#database/queryable.ts'
import type { Page, TradeCursor, TradesQuery } from '#domain/queries.ts'
import type { Trade } from '#domain/trade.ts'
import { isIndexed } from './isIndexed.ts'
import { TRADE_COLUMNS, type TradeRow, toTrade } from './tradeRow.ts'

/** One page of a token's trades by (block number, log index); `null` when the token is not indexed. */
export async function readTrades(db: Queryable, query: TradesQuery): Promise<Page<Trade, TradeCursor> | null> {
  const { side, maker, fromBlock, toBlock, cursor, limit } = query
  const descending = query.order === 'desc'
  const conditions: RawBuilder<unknown>[] = [sql`trade.token = ${toBytes(query.token)}`]
  if (maker !== undefined) conditions.push(sql`trade.maker = ${toBytes(maker)}`)
  if (side !== undefined) conditions.push(sql`trade.side = ${side}`)
  if (fromBlock !== undefined) conditions.push(sql`trade.block_number >= ${fromBlock}::bigint`)
  if (toBlock !== undefined) conditions.push(sql`trade.block_number <= ${toBlock}::bigint`)
  if (cursor !== undefined) {
    const beyond = descending ? sql`<` : sql`>`
    conditions.push(sql`(trade.block_number, trade.log_index) ${beyond} (${cursor.blockNumber}::bigint, ${cursor.logIndex}::integer)`)
  }
  const direction = descending ? sql`desc` : sql`asc`
  const { rows } = await sql<TradeRow>`
    select ${TRADE_COLUMNS} from trade where ${sql.join(conditions, sql` and `)}
    order by trade.block_number ${direction}, trade.log_index ${direction} limit ${limit + 1}`.execute(db)
  if (rows.length === 0 && !(await isIndexed(db, query.token))) return null
  const data = rows.slice(0, limit).map(toTrade)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return { data, next: more ? { blockNumber: Number(last.blockNumber), logIndex: last.logIndex } : null }
}
