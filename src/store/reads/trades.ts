import { type RawBuilder, sql } from 'kysely'
import type { Page, TradeCursor, TradesQuery } from '#domain/queries.ts'
import type { Trade, TradeSide } from '#domain/trade.ts'
import { FOR_THESE_VALUES } from '#store/connection/preparedStatements.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { readBlockBounds } from './blockBounds.ts'
import { readMarketTrades } from './marketTrades.ts'
import { isIndexed } from './tokens.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'

const SIDES: readonly TradeSide[] = ['buy', 'sell']

/**
 * One page of a token's trades by (block number, log index); `null` when the token is not indexed. The indexes include the side, so that a
 * page of the rarer side costs no more than one of the other; a page of both sides is merged from both.
 */
export async function readTrades(db: Queryable, query: TradesQuery): Promise<Page<Trade, TradeCursor> | null> {
  const { token, maker, side, limit, minWeth } = query
  if (minWeth !== undefined) {
    const page = await readMarketTrades(db, { ...query, tokens: [token], ...(maker === undefined ? {} : { makers: [maker] }) })
    return page.data.length === 0 && page.next === null && !(await isIndexed(db, token)) ? null : page
  }
  const bounded = { ...query, ...(await readBlockBounds(db, query)) }
  const direction = query.order === 'desc' ? sql`desc` : sql`asc`
  const ordered = sql`order by block_number ${direction}, log_index ${direction}`
  // Each side comes in order by itself, so that the two are merged and not sorted.
  const sides = (side === undefined ? SIDES : [side]).map(
    one => sql`(select * from trade where side = ${one} and ${sql.join(conditionsOf(bounded), sql` and `)} ${ordered})`,
  )
  // For a generic plan, the planner would assume that any bounds leave so few rows that the index without the maker does as well.
  const planned = maker !== undefined && bounded.fromBlock !== undefined ? FOR_THESE_VALUES : sql``
  const page = sql<SelectedTrade>`
    ${planned} select ${SELECTED_TRADE} from (${sql.join(sides, sql` union all `)}) as trade
    order by trade.block_number ${direction}, trade.log_index ${direction} limit ${limit + 1}`
  const { rows, asOfBlock } = await readAsOf(db, page)
  if (rows.length === 0 && !(await isIndexed(db, token))) return null
  const data = rows.slice(0, limit).map(toTrade)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return { data, next: more ? { blockNumber: Number(last.blockNumber), logIndex: last.logIndex } : null, asOfBlock }
}

function conditionsOf({ token, maker, fromBlock, toBlock, cursor, order }: TradesQuery): readonly RawBuilder<unknown>[] {
  const conditions = [sql`trade.token = ${toBytes(token)}`]
  if (maker !== undefined) conditions.push(sql`trade.maker = ${toBytes(maker)}`)
  if (fromBlock !== undefined) conditions.push(sql`trade.block_number >= ${fromBlock}::bigint`)
  if (toBlock !== undefined) conditions.push(sql`trade.block_number <= ${toBlock}::bigint`)
  if (cursor !== undefined) {
    const beyond = order === 'desc' ? sql`<` : sql`>`
    conditions.push(sql`(trade.block_number, trade.log_index) ${beyond} (${cursor.blockNumber}::bigint, ${cursor.logIndex}::integer)`)
  }
  return conditions
}
