import { type RawBuilder, sql } from 'kysely'
import { flatMapInTurns } from '#async/turns.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/prices.ts'
import type { PoolType } from '#domain/token.ts'
import type { Holder } from '#resources/holders.ts'
import type {
  BlockPlace,
  BlockRange,
  DayTotals,
  FinalBlock,
  ListedAsset,
  ListedPair,
  PairEvent,
  PairEventPlace,
  PairEvents,
  SideAmounts,
} from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp } from '#store/rows/insertRows.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { toBytes } from '#tables/columns.ts'
import { readSupply } from './chainStats.ts'
import { FINAL_BLOCK, trimScale, wholeUnits } from './page.ts'
import { linksOf } from './toToken.ts'
import { joinQuote } from './toTrade.ts'

interface Named {
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number
}

/** A token that a final block created, or a quote currency; `null`: neither. */
export async function readAsset(db: Queryable, id: Address): Promise<ListedAsset | null> {
  return (await readToken(db, id)) ?? (await readQuote(db, id))
}

async function readToken(db: Queryable, id: Address): Promise<ListedAsset | null> {
  const { rows } = await sql<Named & { readonly holderCount: number; readonly links: string | null }>`
    select name, symbol, decimals, holder_count as "holderCount", links from token
    where address = ${toBytes(id)} and created_block <= ${FINAL_BLOCK}`.execute(db)
  const supply = rows[0] === undefined ? null : await readSupply(db, id)
  if (rows[0] === undefined || supply === null) return null
  const { holderCount, links, ...named } = rows[0]
  return {
    ...describe(id, named),
    totalSupply: formatUnits(supply.total, supply.decimals),
    circulatingSupply: formatUnits(supply.total - supply.burned - supply.locked, supply.decimals),
    holderCount,
    links: linksOf(links),
  }
}

async function readQuote(db: Queryable, id: Address): Promise<ListedAsset | null> {
  const { rows } = await sql<Omit<Named, 'name'>>`
    select * from (
      select currency.symbol, case when currency.address in (${toBytes(ZERO_ADDRESS)}, chain_state.weth) then 18 else currency.decimals end as decimals
      from chain_state join currency
        on currency.address in (${toBytes(id)}, case when chain_state.weth = ${toBytes(id)} then ${toBytes(ZERO_ADDRESS)}::bytea end) limit 1
    ) as named where decimals is not null`.execute(db)
  if (rows[0] === undefined) return null
  return { ...describe(id, { name: null, ...rows[0] }), totalSupply: null, circulatingSupply: null, holderCount: null, links: [] }
}

/** Fills in empty names and symbols, which sites do not accept. */
function describe(id: Address, { name, symbol, decimals }: Named): Pick<ListedAsset, 'id' | 'name' | 'symbol' | 'decimals'> {
  const [own, short] = [name?.trim() ?? '', symbol?.trim() ?? '']
  return { id, name: own || short || id, symbol: short || own || id, decimals }
}

const [MINUTE, HOUR, DAY] = [sql.lit(60), sql.lit(3_600), sql.lit(86_400)]

interface Row {
  readonly token: Address
  readonly pair: Hex
  readonly decimals: number
  readonly quoteDecimals: number
  readonly amountToken: string
  readonly amountQuote: string
  readonly high: string
  readonly low: string
}

/**
 * The volume and the highest and lowest price of tokens' main pools in the 24 hours before the newest indexed block, to the minute. They
 * are read from at most 83 candles of each token, and from minutes that are not folded yet. If a token's market moved to a new pool within
 * the day, as by graduation, only the new pool counts: its trades in the minute of the move, and the candles after that minute. Tokens
 * without trades there, and those whose quote currency has no known decimals, are left out.
 */
export async function readDayTotals(db: Queryable, tokens: readonly Address[]): Promise<readonly DayTotals[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<Row>`
    with day as materialized (select cursor_timestamp - cursor_timestamp % ${MINUTE} - ${DAY} as since, unfolded_from from chain_state)
    select token.address as token, pool.address as pair, token.decimals, ${QUOTE_DECIMALS} as "quoteDecimals",
      traded.amount_token::text as "amountToken", traded.amount_quote::text as "amountQuote", traded.high::text as high, traded.low::text as low
    from day cross join unnest(${binaryArray(BYTEA, tokens)}::bytea[]) as asked (address)
    ${lookUp('token', sql`token.address = asked.address`)}
    join pool on pool.address = token.main_pool
    ${joinQuote(sql`pool.quote_token`)}
    left join pool_creation as creation on creation.pool = pool.address and pool.created_block > token.created_block
    cross join lateral (select greatest(token.migrated_at, creation.timestamp) as at) as moved
    cross join lateral (select case when moved.at > day.since then moved.at end as since) as own
    cross join lateral (select coalesce(own.since - own.since % ${MINUTE}, day.since) + ${MINUTE} as minute) as whole
    cross join lateral (select whole.minute + ${HOUR} - 1 - (whole.minute + ${HOUR} - 1) % ${HOUR} as hour) as full_hour
    cross join lateral (
      select sum(part.amount_token) as amount_token, sum(part.amount_quote) as amount_quote, max(part.high) as high, min(part.low) as low
      from (
        -- The order has the planner use the index by time: with old statistics another one may seem as good.
        (select amount_token, coalesce(amount_quote, amount_wei) as amount_quote, coalesce(pool_price, price_after_weth) as high,
          coalesce(pool_price, price_after_weth) as low
        from trade where trade.token = asked.address and trade.pool = pool.address
          and trade.timestamp >= own.since and trade.timestamp < whole.minute order by trade.timestamp)
        union all ${sql.join(
          INDEX_RANGES.flatMap(flag => [
            candlesOf(MINUTE, flag, sql`whole.minute`, sql`full_hour.hour`),
            candlesOf(HOUR, flag, sql`full_hour.hour`, sql`day.since + 2 * ${DAY}`),
            candlesOf(MINUTE, flag, sql`greatest(full_hour.hour, day.unfolded_from)`, sql`day.unfolded_from + 2 * ${DAY}`),
          ]),
          sql` union all `,
        )}
      ) as part
    ) as traded
    where traded.amount_token is not null and traded.high is not null and ${QUOTE_DECIMALS} is not null`.execute(db)
  return rows.map(({ token, pair, decimals, quoteDecimals, amountToken, amountQuote, high, low }) => ({
    token,
    pair,
    volume: { token: formatUnits(BigInt(amountToken), decimals), quote: formatUnits(BigInt(amountQuote), quoteDecimals) },
    high: wholeUnits(trimScale(high), quoteDecimals),
    low: wholeUnits(trimScale(low), quoteDecimals),
  }))
}

/** The ranges of the index of candles, in which `in_usd` comes before the time. */
const INDEX_RANGES = [sql`in_usd`, sql`not in_usd`, sql`in_usd is null`]

function candlesOf(seconds: RawBuilder<unknown>, flag: RawBuilder<unknown>, first: RawBuilder<unknown>, after: RawBuilder<unknown>) {
  return sql`select volume_token, coalesce(volume_quote, volume_wei), coalesce(high_quote, high), coalesce(low_quote, low) from candle
    where candle.token = asked.address and candle.interval_seconds = ${seconds} and ${flag} and trades > 0
      and candle.time >= ${first} and candle.time < ${after}`
}

/**
 * A final block by its number, or the newest one at a time. `null`: the block is not final, or its time is not stored. Stored are the
 * headers of the newest blocks, and the times of blocks with events.
 */
export async function readBlock(db: Queryable, at: BlockPlace): Promise<FinalBlock | null> {
  const { rows } = await sql<FinalBlock>`
    select number, timestamp from (${'number' in at ? byNumber(at.number) : byTime(at.timestamp)}) as found
    where number <= ${FINAL_BLOCK} limit 1`.execute(db)
  return rows[0] ?? null
}

function byNumber(number: number) {
  const tables = (['trade', 'join_exit', 'pool_creation'] as const).map(
    table => sql`(select block_number, timestamp from ${sql.table(table)} where block_number = ${number}::bigint limit 1)`,
  )
  return sql`select number, timestamp from block where number = ${number}::bigint union all ${sql.join(tables, sql` union all `)}`
}

/** The newest block at a time is known only if the next block's header is stored too, or if it is the newest final block. */
function byTime(timestamp: number) {
  return sql`select youngest.* from (
      select number, timestamp from block where timestamp <= ${timestamp}::bigint and number <= ${FINAL_BLOCK} order by number desc limit 1
    ) as youngest
    where number = ${FINAL_BLOCK} or exists (select from block where block.number = youngest.number + 1)`
}

/**
 * A page of a token's holders by rank, as market-data sites ask for it. Reads all holders before the page, so the gateway bounds the
 * offset.
 */
export async function readHoldersFrom(
  db: Queryable,
  token: Address,
  place: number,
  limit: number,
): Promise<readonly Pick<Holder, 'address' | 'balance'>[]> {
  const { rows } = await sql<Pick<Holder, 'address' | 'balance'>>`
    select holder as address, balance::text as balance from balance where token = ${toBytes(token)} and balance > 0
    order by - balance, holder offset ${place} limit ${limit}`.execute(db)
  return rows
}

/** The pool with this address or id; `null`: no final block has created one. */
export async function readPair(db: Queryable, id: Hex): Promise<ListedPair | null> {
  const { rows } = await sql<{ readonly type: PoolType } & Omit<ListedPair, 'id' | 'type'> & { readonly weth: Address }>`
    select pool.type, pool.token, pool.quote_token as "quoteToken", pool.launchpad, token.creator, pool.fee_bps as "feeBps",
      creation.block_number as "createdBlock", creation.timestamp as "createdAt", creation.tx_hash as "creationTxHash",
      (select weth from chain_state) as weth
    from pool join pool_creation as creation on creation.pool = pool.address join token on token.address = pool.token
    where pool.address = ${toBytes(id)} and creation.block_number <= ${FINAL_BLOCK}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { weth, ...pair } = row
  return { id, ...pair, quoteToken: pair.quoteToken === ZERO_ADDRESS ? weth : pair.quoteToken }
}

/** The most decimal places that sites keep. */
const MAX_PLACES = 50

interface EventRow extends PairEventPlace {
  readonly kind: 'creation' | 'joinExit' | 'swap'
  readonly side: 'buy' | 'sell' | null
  readonly amountToken: string | null
  readonly amountQuote: string | null
  readonly price: string | null
  readonly reserveToken: string | null
  readonly reserveQuote: string | null
  readonly decimals: number
  readonly quoteDecimals: number | null
  readonly isQuoteRead: boolean
}

interface UnknownPair {
  readonly decimals: null
}

/** SQL of the decimals of a pool's quote currency, after `joinQuote`. */
const QUOTE_DECIMALS: RawBuilder<unknown> = sql`case
  when pool.quote_token in (${toBytes(ZERO_ADDRESS)}, (select weth from chain_state)) then ${sql.lit(WETH_DECIMALS)} else quote.decimals end`

const PLACE = sql`block_number, timestamp, tx_hash, tx_index, log_index`
const WITHIN = ({ fromBlock, toBlock }: BlockRange) => sql`block_number between ${fromBlock}::bigint and ${toBlock}::bigint`

/**
 * The events of a launchpad's pairs in some final blocks. Pairs whose quote currency has no known decimals are left out, and so are swaps
 * without a price or with a zero amount on one side.
 *
 * @param limit the most events; with more, the result is `tooMany`
 */
export async function readPairEvents(db: Queryable, launchpad: string, range: BlockRange, limit: number): Promise<PairEvents> {
  // As a value, the launchpad is looked up for each event. For a condition on a join, the planner could read every pool.
  const isAsked = (table: string) => sql`(select pool.launchpad from pool where pool.address = ${sql.ref(`${table}.pool`)}) = ${launchpad}`
  const firstOf = (table: string) =>
    sql`${WITHIN(range)} and ${isAsked(table)} order by block_number, log_index limit ${limit + 1}::integer`
  const { rows } = await sql<EventRow | UnknownPair>`
    with event as materialized (
      (select 'creation' as kind, 0 as rank, ${PLACE}, pool, null as side, null::bytea as maker, null::numeric as amount_token,
        null::numeric as amount_quote, null::numeric as price, null::numeric as reserve_token, null::numeric as reserve_quote
      from pool_creation where ${firstOf('pool_creation')})
      union all
      (select 'joinExit', 1, ${PLACE}, pool, null, maker, amount_token, amount_quote, null, reserve_token, reserve_quote
      from join_exit where ${firstOf('join_exit')})
      union all
      (select 'swap', 2, ${PLACE}, pool, side, maker, amount_token, coalesce(amount_quote, amount_wei), coalesce(pool_price, price_after_weth),
        reserve_token, reserve_quote
      from trade where ${firstOf('trade')})
    ),
    -- Each pair is read once, however many events it has.
    pair as materialized (
      select pool.address, pool.type, token.creator, token.decimals, ${QUOTE_DECIMALS} as quote_decimals, coalesce(quote.is_read, false) as is_quote_read
      from (select distinct event.pool from event) as seen
      ${lookUp('pool', sql`pool.address = seen.pool`)}
      ${lookUp('token', sql`token.address = pool.token`)}
      ${joinQuote(sql`pool.quote_token`)}
    )
    select event.kind, event.block_number as "blockNumber", event.timestamp, event.tx_hash as "txHash", event.tx_index as "txIndex",
      event.log_index as "logIndex", event.pool as pair, pair.type as "pairType", event.side,
      coalesce(event.maker, pair.creator) as maker,
      event.amount_token::text as "amountToken", event.amount_quote::text as "amountQuote", event.price::text as price,
      event.reserve_token::text as "reserveToken", event.reserve_quote::text as "reserveQuote", pair.decimals,
      pair.quote_decimals as "quoteDecimals", pair.is_quote_read as "isQuoteRead"
    from event left join pair on pair.address = event.pool
    order by event.block_number, event.log_index, event.rank, event.pool limit ${limit + 1}::integer`.execute(db)
  if (rows.length > limit) return 'tooMany'
  const known = rows.filter((row): row is EventRow => row.decimals !== null && row.decimals <= MAX_PLACES)
  return known.some(({ quoteDecimals, isQuoteRead }) => quoteDecimals === null && !isQuoteRead) ? 'unread' : flatMapInTurns(known, toEvent)
}

function toEvent(row: EventRow): readonly PairEvent[] {
  const { kind, blockNumber, timestamp, txHash, txIndex, logIndex, pair, pairType, side, maker } = row
  if (row.quoteDecimals === null) return []
  const place = { blockNumber, timestamp, txHash, txIndex, logIndex, pair, pairType, maker }
  if (kind === 'creation') return [{ ...place, kind }]
  const amounts = amountsOf(row, row.amountToken, row.amountQuote)
  if (amounts === null) return []
  const reserves = amountsOf(row, row.reserveToken, row.reserveQuote)
  if (kind === 'joinExit') {
    const isExit = amounts.token.startsWith('-') || amounts.quote.startsWith('-')
    return [{ ...place, kind: isExit ? 'exit' : 'join', amounts: magnitudes(amounts), reserves }]
  }
  const price = cut(wholeUnits(trimScale(row.price), row.quoteDecimals))
  if (side === null || price === null || amounts.token === '0' || amounts.quote === '0') return []
  return [{ ...place, kind, side, amounts, price, reserves }]
}

function amountsOf(
  { decimals, quoteDecimals }: Pick<EventRow, 'decimals' | 'quoteDecimals'>,
  token: string | null,
  quote: string | null,
): SideAmounts | null {
  if (token === null || quote === null || quoteDecimals === null) return null
  return { token: formatUnits(BigInt(token), decimals), quote: formatUnits(BigInt(quote), quoteDecimals) }
}

function magnitudes({ token, quote }: SideAmounts): SideAmounts {
  return { token: token.replace('-', ''), quote: quote.replace('-', '') }
}

/** A price without the decimal places that sites do not keep; `null`: it has no other digits. */
function cut(price: string | null): string | null {
  if (price === null) return null
  const point = price.indexOf('.')
  const kept = point < 0 ? price : trimScale(price.slice(0, point + 1 + MAX_PLACES))
  return kept === '0' ? null : kept
}
