import { type RawBuilder, sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import { parseDecimal } from '#domain/decimal.ts'
import type { PerWindow } from '#domain/token.ts'
import type { TradeSide } from '#domain/trade.ts'
import { perWindow, WINDOW_NAMES, WINDOW_SECONDS, type WindowAging, type WindowName, type WindowReference } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BYTEA } from '#tables/binaryArray.ts'
import type { TokenRow } from '#tables/token.ts'
import { lookUp } from './lookUp.ts'
import { parameter } from './parameter.ts'

/** Which stored trades count: those of blocks before `before` (`null`: all), in windows that end at `now` (Unix seconds). */
interface StoredTradesAt {
  readonly before: number | null
  readonly now: number
}

const WINDOWS = sql.raw(
  `(values ${WINDOW_NAMES.map(name => `('${name}', ${WINDOW_SECONDS[name]}::bigint)`).join(', ')}) as win (name, seconds)`,
)

function asked(tokens: readonly TokenRow[]): RawBuilder<unknown> {
  const addresses = parameter(arrayOf(BYTEA, tokens, 'address'), 'bytea[]')
  const windowsAt = parameter(arrayOf(BIGINT, tokens, 'windowsAt'), 'bigint[]')
  const createdAt = parameter(arrayOf(BIGINT, tokens, 'createdAt'), 'bigint[]')
  const expireAt = parameter(arrayOf(BIGINT, tokens, 'windowsExpireAt'), 'bigint[]')
  return sql`unnest(${addresses}, ${windowsAt}, ${createdAt}, ${expireAt}) as asked (token, was, created_at, expires_at)`
}

/**
 * The trades of `asked.token` that have left the window `win` since its totals were computed. The order and "offset 0" make them a range of
 * the index by time. Otherwise the planner may read all trades of the token, or of all tokens, for their block numbers.
 */
function leavingTrades({ before, now }: StoredTradesAt): RawBuilder<unknown> {
  const stored = before === null ? sql`` : sql`where block_number < ${before}::bigint`
  return sql`(
      select * from (
        select * from trade where asked.expires_at <= ${now} and trade.token = asked.token
          and timestamp > asked.was - win.seconds and timestamp <= least(${now} - win.seconds, asked.was) order by timestamp offset 0
      ) as trade ${stored}
    )`
}

interface AgingRow {
  readonly token: Address
  readonly window_name: WindowName
  readonly volume: string
  readonly buy_volume: string
  readonly buys: number
  readonly sells: number
  readonly oldest_at: number | null
  readonly reference_price: string | null
  readonly reference_at: number | null
  readonly reference_pool: Hex | null
}

/**
 * How the tokens' windows have aged, from stored trades: index look-ups at both ends of each window, and a scan of the trades that left it
 * since its totals were computed. The same as `ageWindow`.
 *
 * The reference price is that of the last trade before a window, or `null` if that trade has none. Looking for the last trade with a price
 * would read the whole history of a token without any.
 */
export async function loadAging(
  db: Queryable,
  tokens: readonly TokenRow[],
  { before, now }: StoredTradesAt,
): Promise<Map<Address, PerWindow<WindowAging>>> {
  if (tokens.length === 0) return new Map()
  const stored = before === null ? sql`` : sql`and block_number < ${before}::bigint`
  const { rows } = await sql<AgingRow>`
    select asked.token, win.name as window_name, leaving.volume, leaving.buy_volume, leaving.buys, leaving.sells, oldest.at as oldest_at,
      reference.price as reference_price, reference.at as reference_at, reference.pool as reference_pool
    from ${asked(tokens)}
    cross join ${WINDOWS}
    cross join lateral (
      select coalesce(sum(amount_wei), 0)::text as volume,
        coalesce(sum(amount_wei) filter (where side = 'buy'), 0)::text as buy_volume,
        (count(*) filter (where side = 'buy'))::int as buys, (count(*) filter (where side = 'sell'))::int as sells
      from ${leavingTrades({ before, now })} as trade
    ) as leaving
    left join lateral (
      select timestamp as at from trade where trade.token = asked.token and timestamp > ${now} - win.seconds ${stored}
      order by timestamp limit 1
    ) as oldest on true
    left join lateral (
      select price_after_weth::text as price, timestamp as at, pool from trade
      where asked.created_at <= ${now} - win.seconds and trade.token = asked.token and timestamp <= ${now} - win.seconds ${stored}
      order by timestamp desc, block_number desc, log_index desc limit 1
    ) as reference on true`.execute(db)
  const byToken = Map.groupBy(rows, row => row.token)
  return new Map([...byToken].map(([token, ofToken]) => [token, perWindow(name => agingOf(ofToken.find(row => row.window_name === name)))]))
}

function agingOf(row: AgingRow | undefined): WindowAging {
  if (row === undefined) throw new TypeError('the statement gives a row per token and window')
  return {
    leaving: { volumeWei: BigInt(row.volume), buyVolumeWei: BigInt(row.buy_volume), buys: row.buys, sells: row.sells },
    oldestAt: row.oldest_at,
    reference: referenceOf(row),
  }
}

function referenceOf({ reference_price: price, reference_at: timestamp, reference_pool: pool }: AgingRow): WindowReference | null {
  return price === null || timestamp === null || pool === null ? null : { priceWeth: parseDecimal(price), timestamp, pool }
}

/** A maker's last trade on one side of a token. */
export interface LastTrade {
  readonly token: Address
  readonly side: TradeSide
  readonly maker: Address
  readonly timestamp: number
}

/**
 * The stored trades that have left a window since its totals were computed and are their makers' last ones, so that these makers no longer
 * count in it. Costs one index look-up per trade that has left. A trade may be given more than once.
 */
export async function loadLeavingLastTrades(db: Queryable, tokens: readonly TokenRow[], at: StoredTradesAt): Promise<readonly LastTrade[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<LastTrade>`
    select asked.token, leaving.side, leaving.maker, leaving.timestamp
    from ${asked(tokens)}
    cross join ${WINDOWS}
    cross join lateral ${leavingTrades(at)} as leaving
    ${lookUp('balance', sql`balance.token = leaving.token and balance.holder = leaving.maker`, 'maker')}
    where leaving.timestamp = case leaving.side when 'buy' then maker.last_buy_at else maker.last_sell_at end`.execute(db)
  return rows
}
