import { type RawBuilder, sql } from 'kysely'
import { comparePlaces } from '#domain/eventPlace.ts'
import { sizesFrom, type TradeSide, weiFrom } from '#domain/trade.ts'
import type { Page } from '#resources/resource.ts'
import type { MarketTradesQuery, TokenTradeCursor, Trade, TradeCursor, TradesQuery } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp, lookUpIfAny } from '#store/rows/insertRows.ts'
import { toBytes } from '#tables/columns.ts'
import { IS_BUY, LARGE_TRADE, TOKEN_TRADE_SIZE, TRADE_SIZE } from '#tables/trade.ts'
import { type BlockBounds, pageOf, readAsOf, readBlockBounds } from './page.ts'
import { allOf, isIndexed } from './tokens.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'

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

const BUYS = sql`(trade.${sql.raw(IS_BUY)})`

/**
 * One page of a token's trades by their value in WETH, then by (block number, log index). Trades of an unknown value are left out. Buys
 * are one range of the index `trade_by_token_amount`, and sales another.
 */
async function readTradesBySize(db: Queryable, query: TradesQuery): Promise<Page<Trade, TokenTradeCursor>> {
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
function tradeRange({ fromBlock, toBlock, cursor, order }: RangeQuery): TradeRange {
  const first = fromBlock === undefined ? null : { blockNumber: fromBlock, logIndex: -1 }
  const last = toBlock === undefined ? null : { blockNumber: toBlock + 1, logIndex: -1 }
  if (cursor === undefined) return { after: first, before: last }
  return order === 'asc'
    ? { after: first === null || comparePlaces(first, cursor) < 0 ? cursor : first, before: last }
    : { after: first, before: last === null || comparePlaces(cursor, last) < 0 ? cursor : last }
}

/** A column of an index, or its expression, and the value that it has to equal. */
interface Equality {
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
function tradeIndexRange(equalities: readonly Equality[], { after, before }: TradeRange, order: 'asc' | 'desc'): TradeIndexRange {
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
