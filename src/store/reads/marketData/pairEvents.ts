import { type RawBuilder, sql } from 'kysely'
import { flatMapInTurns } from '#async/flatMapInTurns.ts'
import { ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/weth.ts'
import type { BlockRange, PairEvent, PairEventPlace, PairEvents, SideAmounts } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { joinQuote } from '#store/reads/joinQuote.ts'
import { trimScale, wholeUnits } from '#store/reads/trimScale.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'

/** The most decimal places that sites keep. */
const MAX_PLACES = 50

interface Row extends PairEventPlace {
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
export const QUOTE_DECIMALS: RawBuilder<unknown> = sql`case
  when pool.quote_token in (${toBytes(ZERO_ADDRESS)}, (select weth from chain_state)) then ${sql.lit(WETH_DECIMALS)} else quote.decimals end`

const PLACE = sql`block_number, timestamp, tx_hash, tx_index, log_index`
const WITHIN = ({ fromBlock, toBlock }: BlockRange) => sql`block_number between ${fromBlock}::bigint and ${toBlock}::bigint`

/**
 * The events of pairs in some final blocks. Pairs whose quote currency has no known decimals are left out, and so are swaps without a price
 * or with a zero amount on one side.
 *
 * @param limit the most events; with more, the result is `tooMany`
 * @param joined the join that brought the pairs; `null`: those that are not late
 */
export async function readPairEvents(db: Queryable, range: BlockRange, limit: number, joined: number | null): Promise<PairEvents> {
  const isAsked = (table: string) => sql`coalesce((select joined_block from late_pair
    where late_pair.pool = ${sql.ref(`${table}.pool`)}), -1) = ${joined ?? -1}::bigint`
  const firstOf = (table: string) =>
    sql`${WITHIN(range)} and ${isAsked(table)} order by block_number, log_index limit ${limit + 1}::integer`
  const { rows } = await sql<Row | UnknownPair>`
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
  const known = rows.filter((row): row is Row => row.decimals !== null && row.decimals <= MAX_PLACES)
  return known.some(({ quoteDecimals, isQuoteRead }) => quoteDecimals === null && !isQuoteRead) ? 'unread' : flatMapInTurns(known, toEvent)
}

function toEvent(row: Row): readonly PairEvent[] {
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
  { decimals, quoteDecimals }: Pick<Row, 'decimals' | 'quoteDecimals'>,
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

/** Whether a join has brought late pairs that are still in the index. */
export async function hasLatePairs(db: Queryable, joined: number): Promise<boolean> {
  return (await sql`select from late_pair where joined_block = ${joined}::bigint limit 1`.execute(db)).rows.length > 0
}
