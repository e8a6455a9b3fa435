import { type RawBuilder, sql } from 'kysely'
import { sizesFrom, weiFrom } from '#domain/tradeSize.ts'
import type { Page } from '#resources/resource.ts'
import type { MarketTradesQuery, Trade, TradeCursor } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp, lookUpIfAny } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'
import { LARGE_TRADE, TOKEN_TRADE_SIZE, TRADE_SIZE } from '#tables/trade.ts'
import { readAsOf } from './asOf.ts'
import { readBlockBounds } from './blockBounds.ts'
import { allOf } from './tokenFilters.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'
import { tradeIndexRange, tradeRange } from './tradeIndexRange.ts'

/** The most trades that a page reads when no index covers all of its filters. */
export const MAX_TRADES_FILTERED = 2_000
/** The most trades that a page reads when an index covers all of its filters: a hundred tokens are two hundred index ranges. */
const MAX_TRADES_FOUND = 20_000
/** The most pairs of token and maker that are looked up one by one. */
const MAX_PAIRS = 200

/** The ranges of an index that a query reads: the index's first columns, in order, and each combination of their values. */
interface IndexRanges {
  readonly columns: readonly RangeColumn[]
  readonly values: readonly (readonly unknown[])[]
  /** Conditions on a trade that the index does not cover. */
  readonly rest: readonly RawBuilder<unknown>[]
  /** A condition on the trade's token; `null`: none. */
  readonly ofToken: RawBuilder<unknown> | null
}

type RangeColumn = keyof typeof COLUMNS

const COLUMNS = {
  token: { type: sql`bytea`, column: sql`trade.token` },
  maker: { type: sql`bytea`, column: sql`trade.maker` },
  side: { type: sql`text`, column: sql`trade.side` },
  tokenSize: { type: sql`smallint`, column: sql.raw(TOKEN_TRADE_SIZE) },
  size: { type: sql`integer`, column: sql.raw(TRADE_SIZE) },
}

type PageRow = { readonly endBlock: number | null; readonly endLog: number | null } & (
  | SelectedTrade
  | { readonly 'trade.blockNumber': null }
)

/**
 * One page of trades over all tokens by (block number, log index), merged from ranges of an index. A bounded number of trades of each range
 * is looked at, so a page with rare filters may have fewer than `limit`, even none, and a next page.
 */
export async function readMarketTrades(db: Queryable, query: MarketTradesQuery): Promise<Page<Trade, TradeCursor>> {
  const { limit, order } = query
  const bounds = await readBlockBounds(db, query)
  const { columns, values, rest, ofToken } = indexRangesOf(query)
  const most =
    rest.length > 0 || ofToken !== null
      ? Math.max(MAX_TRADES_FILTERED, values.length)
      : Math.min(MAX_TRADES_FOUND, values.length * (limit + 1))
  const each = Math.ceil(most / values.length)
  const near = order === 'desc' ? sql`desc` : sql`asc`
  const ranges = indexRangeTable(columns, values)
  const equalities = columns.map(name => ({ column: COLUMNS[name].column, value: sql.ref(`range.${name}`) }))
  const { where, orderBy, endingAt } = tradeIndexRange(equalities, tradeRange({ ...query, ...bounds }), order)
  // The index by amount has every column that is read here except the timestamp. Without the condition on the timestamp, the planner would
  // use it and read all large trades of the token: seconds for a token with 400,000 of them.
  const ofSize = columns.some(name => name === 'size' || name === 'tokenSize')
    ? sql`${sql.raw(LARGE_TRADE)} and trade.timestamp >= 0 and`
    : sql``
  const beforeFinish = endingAt(sql`(select block_number from finish)`, sql`(select log_index from finish)`)
  // Each token is looked up once, not for each of its trades. "coalesce" keeps the planner from a nested loop.
  const isOfToken = sql`coalesce(looked.token in (select token.address from (select distinct token from looked) as asked
    ${lookUp('token', sql`token.address = asked.token`)} where ${ofToken}), false)`
  const page = sql<PageRow>`
    -- Beyond the last trade of an index range that is not read to its end, others may come first.
    with finish as materialized (
      select ended.* from ${ranges} cross join lateral (
        select trade.block_number, trade.log_index from trade where ${ofSize} ${where} ${orderBy} offset ${each - 1}::integer limit 1
      ) as ended
      order by ended.block_number ${near}, ended.log_index ${near} limit 1
    ),
    looked as materialized (
      select entry.* from ${ranges} cross join lateral (
        select trade.block_number, trade.log_index, ${ofToken === null ? sql`` : sql`trade.token,`} ${allOf(rest)} as wanted from trade
        where ${ofSize} ${beforeFinish} ${orderBy} limit ${each}::integer
      ) as entry
    ),
    page as (
      select looked.block_number, looked.log_index from looked
      where looked.wanted and ${ofToken === null ? sql`true` : isOfToken}
      order by looked.block_number ${near}, looked.log_index ${near} limit ${limit + 1}::integer
    )
    select finish.block_number as "endBlock", finish.log_index as "endLog", ${SELECTED_TRADE}
    from (select) as one left join finish on true left join page on true
    ${lookUpIfAny('trade', sql`trade.block_number = page.block_number and trade.log_index = page.log_index`)}
    order by page.block_number ${near}, page.log_index ${near}`
  const { rows, asOfBlock } = await readAsOf(db, page)
  const found = rows.flatMap(row => (row['trade.blockNumber'] === null ? [] : [toTrade(row)]))
  const data = found.slice(0, limit)
  const end = data.at(-1)
  const { endBlock = null, endLog = null } = rows[0] ?? {}
  if (found.length > limit && end !== undefined)
    return { data, next: { blockNumber: Number(end.blockNumber), logIndex: end.logIndex }, asOfBlock }
  return { data, next: endBlock === null || endLog === null ? null : { blockNumber: endBlock, logIndex: endLog }, asOfBlock }
}

function indexRangesOf({ tokens, makers, launchpad, side, minWeth }: MarketTradesQuery): IndexRanges {
  const sides = side === undefined ? ['buy', 'sell'] : [side]
  const minWei = minWeth === undefined ? 0n : weiFrom(minWeth)
  const sizes = sizesFrom(minWei)
  const ofToken = launchpad === undefined ? null : sql`token.launchpad = any(${[...launchpad]}::text[])`
  const rest = {
    minWei: minWeth === undefined ? [] : [sql`coalesce(trade.amount_wei >= ${minWei.toString()}::numeric, false)`],
    side: side === undefined ? [] : [sql`trade.side = ${side}`],
  }
  if (makers !== undefined && tokens !== undefined && makers.length * tokens.length <= MAX_PAIRS)
    return {
      columns: ['token', 'maker', 'side'],
      values: product([tokens.map(toBytes), makers.map(toBytes), sides]),
      rest: rest.minWei,
      ofToken,
    }
  if (makers !== undefined) {
    const ofTokens = tokens === undefined ? [] : [sql`trade.token = any(${tokens.map(toBytes)}::bytea[])`]
    return { columns: ['maker', 'side'], values: product([makers.map(toBytes), sides]), rest: [...ofTokens, ...rest.minWei], ofToken }
  }
  if (tokens !== undefined && sizes.length > 0)
    return { columns: ['token', 'tokenSize'], values: product([tokens.map(toBytes), sizes]), rest: [...rest.side, ...rest.minWei], ofToken }
  if (tokens !== undefined) return { columns: ['token', 'side'], values: product([tokens.map(toBytes), sides]), rest: rest.minWei, ofToken }
  if (sizes.length > 0) return { columns: ['size'], values: product([sizes]), rest: [...rest.side, ...rest.minWei], ofToken }
  return { columns: [], values: [[]], rest: [...rest.side, ...rest.minWei], ofToken }
}

function product(lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return lists.reduce<readonly (readonly unknown[])[]>(
    (combined, list) => combined.flatMap(one => list.map(value => [...one, value])),
    [[]],
  )
}

function indexRangeTable(columns: readonly RangeColumn[], values: IndexRanges['values']): RawBuilder<unknown> {
  if (columns.length === 0) return sql`(select 1 as number) as range`
  const arrays = columns.map((column, index) => sql`${values.map(one => one[index])}::${COLUMNS[column].type}[]`)
  return sql`unnest(${sql.join(arrays)}) with ordinality as range (${sql.join(columns.map(column => sql.id(column)))}, number)`
}
