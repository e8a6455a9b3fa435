import { type RawBuilder, sql } from 'kysely'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { formatUnits } from '#domain/decimal.ts'
import type { BlockRange, PairEvent, PairEvents, SideAmounts } from '#domain/marketData.ts'
import type { PoolType } from '#domain/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { trimScale, wholeUnits } from '#store/reads/trimScale.ts'
import { toBytes } from '#tables/toBytes.ts'

/** Sites keep no more decimal places. */
const MOST_PLACES = 50
const WETH_DECIMALS = 18

interface Row {
  readonly kind: 'creation' | 'joinExit' | 'swap'
  readonly blockNumber: number
  readonly timestamp: number
  readonly txHash: Hex
  readonly txIndex: number
  readonly logIndex: number
  readonly pair: Hex
  readonly pairType: PoolType
  readonly side: 'buy' | 'sell' | null
  readonly maker: Address
  readonly amountToken: string | null
  readonly amountQuote: string | null
  readonly price: string | null
  readonly reserveToken: string | null
  readonly reserveQuote: string | null
  readonly decimals: number
  readonly quoteDecimals: number | null
  readonly isQuoteRead: boolean
}

/** The decimals of what a pool is quoted in; `quote` is its row of `currency`. */
export const QUOTE_DECIMALS: RawBuilder<unknown> = sql`case
  when pool.quote_token in (${toBytes(ZERO_ADDRESS)}, (select weth from chain_state)) then ${sql.lit(WETH_DECIMALS)} else quote.decimals end`

const PLACE = sql`block_number, timestamp, tx_hash, tx_index, log_index`
const WITHIN = ({ fromBlock, toBlock }: BlockRange) => sql`block_number between ${fromBlock}::bigint and ${toBlock}::bigint`

/**
 * What happened in all pairs, of blocks that are final. Left out are pairs whose quote currency tells no decimals, and swaps without a
 * price or of nothing on one side.
 *
 * @param limit most events
 */
export async function readPairEvents(db: Queryable, range: BlockRange, limit: number): Promise<PairEvents> {
  const { rows } = await sql<Row>`
    select event.kind, event.block_number as "blockNumber", event.timestamp, event.tx_hash as "txHash", event.tx_index as "txIndex",
      event.log_index as "logIndex", event.pool as pair, pool.type as "pairType", event.side,
      coalesce(event.maker, token.creator) as maker,
      event.amount_token::text as "amountToken", event.amount_quote::text as "amountQuote", event.price::text as price,
      event.reserve_token::text as "reserveToken", event.reserve_quote::text as "reserveQuote", token.decimals,
      ${QUOTE_DECIMALS} as "quoteDecimals", coalesce(quote.is_read, false) as "isQuoteRead"
    from (
      select 'creation' as kind, 0 as rank, ${PLACE}, pool, null as side, null::bytea as maker, null::numeric as amount_token,
        null::numeric as amount_quote, null::numeric as price, null::numeric as reserve_token, null::numeric as reserve_quote
      from pool_creation where ${WITHIN(range)}
      union all
      select 'joinExit', 1, ${PLACE}, pool, null, maker, amount_token, amount_quote, null, reserve_token, reserve_quote
      from join_exit where ${WITHIN(range)}
      union all
      select 'swap', 2, ${PLACE}, pool, side, maker, amount_token, coalesce(amount_quote, amount_wei), coalesce(pool_price, price_after_weth),
        reserve_token, reserve_quote
      from trade where ${WITHIN(range)}
    ) as event
    join pool on pool.address = event.pool join token on token.address = pool.token
    left join currency as quote on quote.address = pool.quote_token
    where token.decimals <= ${sql.lit(MOST_PLACES)}
    order by event.block_number, event.log_index, event.rank, event.pool limit ${limit + 1}`.execute(db)
  if (rows.length > limit) return 'tooMany'
  return rows.some(({ quoteDecimals, isQuoteRead }) => quoteDecimals === null && !isQuoteRead) ? 'unread' : rows.flatMap(toEvent)
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

/** Without the places that sites do not keep. `null`: nothing is left. */
function cut(price: string | null): string | null {
  if (price === null) return null
  const point = price.indexOf('.')
  const kept = point < 0 ? price : trimScale(price.slice(0, point + 1 + MOST_PLACES))
  return kept === '0' ? null : kept
}
