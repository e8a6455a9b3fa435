import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Changes } from '#domain/changes.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import type { TokenState } from '#domain/tokenState.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BYTEA } from './binaryArray.ts'

/*
 * What /api/chain-stats says of the whole index is kept up to date by every commit, at a cost that depends on the commit alone. Sums and counts over
 * tokens follow from how the commit's tokens were and are. Who has traded within 24 hours follows from the time of everybody's last trade:
 * the commit's makers come in, and who has been silent for 24 hours since the totals were counted last goes out.
 */

const DAY_SECONDS = WINDOW_SECONDS.h24

/** Of the one row of `index_totals`. */
export const TOTALS_COLUMNS: readonly string[] =
  'id counted_at tokens bonding completed migrated liquidity_weth trades_h24 volume_h24 traders_h24'.split(' ')

/** What tokens add to the totals. */
interface TokenTotals {
  readonly tokens: number
  readonly bonding: number
  readonly completed: number
  readonly migrated: number
  readonly trades24h: number
  readonly volume24hWei: bigint
  readonly liquidityWeth: bigint
}

/**
 * Moves the totals on by a batch, in the caller's transaction: after the rows that it changes were kept for undoing. One statement.
 *
 * @param before the batch's tokens as they were; a token that is not among them is new
 * @param now Unix seconds of the batch's last block
 */
export async function writeTotals(
  db: Queryable,
  { tokens, trades }: Pick<Changes, 'tokens' | 'trades'>,
  before: ReadonlyMap<Address, TokenState>,
  now: number,
): Promise<void> {
  if (tokens.length === 0 && trades.length === 0) return
  const is = totalsOf(tokens)
  const was = totalsOf(tokens.flatMap(({ address }) => before.get(address) ?? []))
  const since = now - DAY_SECONDS
  const lastTrades = [...lastTradesOf(trades)]
  await sql`
    with counted as (select coalesce(max(counted_at), 0) - ${sql.lit(DAY_SECONDS)}::bigint as since from index_totals),
      seen as (
        select unnest(${arrayOf(BYTEA, lastTrades, ([maker]) => maker)}::bytea[]) as maker,
          unnest(${arrayOf(BIGINT, lastTrades, ([, at]) => at)}::bigint[]) as traded_at
      ),
      gone as (
        select count(*) as traders from counted join trader on trader.last_trade_at > counted.since and trader.last_trade_at <= ${since}::bigint
      ),
      come as (
        select count(*) as traders from seen left join trader using (maker)
        where seen.traded_at > ${since}::bigint and (trader.last_trade_at is null or trader.last_trade_at <= ${since}::bigint)
      ),
      written as (
        insert into trader (maker, last_trade_at) select maker, traded_at from seen
        on conflict (maker) do update set last_trade_at = excluded.last_trade_at
      )
    insert into index_totals as totals
      (counted_at, tokens, bonding, completed, migrated, liquidity_weth, trades_h24, volume_h24, traders_h24)
    select ${now}::bigint, ${is.tokens - was.tokens}::integer, ${is.bonding - was.bonding}::integer, ${is.completed - was.completed}::integer,
      ${is.migrated - was.migrated}::integer, ${formatDecimal((is.liquidityWeth - was.liquidityWeth) as Decimal)}::numeric,
      ${is.trades24h - was.trades24h}::bigint, ${(is.volume24hWei - was.volume24hWei).toString()}::numeric, come.traders - gone.traders
    from come cross join gone
    on conflict (id) do update set counted_at = excluded.counted_at, tokens = totals.tokens + excluded.tokens,
      bonding = totals.bonding + excluded.bonding, completed = totals.completed + excluded.completed,
      migrated = totals.migrated + excluded.migrated, liquidity_weth = totals.liquidity_weth + excluded.liquidity_weth,
      trades_h24 = totals.trades_h24 + excluded.trades_h24, volume_h24 = totals.volume_h24 + excluded.volume_h24,
      traders_h24 = totals.traders_h24 + excluded.traders_h24`.execute(db)
}

/** When everybody traded last. */
function lastTradesOf(trades: Changes['trades']): ReadonlyMap<Address, number> {
  const last = new Map<Address, number>()
  for (const { maker, timestamp } of trades) last.set(maker, Math.max(timestamp, last.get(maker) ?? 0))
  return last
}

function totalsOf(tokens: readonly TokenState[]): TokenTotals {
  const inStatus = (status: TokenState['graduationStatus']) => tokens.filter(({ graduationStatus }) => graduationStatus === status).length
  const h24 = tokens.map(({ windows }) => windows.h24)
  return {
    tokens: tokens.length,
    bonding: inStatus('bonding'),
    completed: inStatus('completed'),
    migrated: inStatus('migrated'),
    trades24h: h24.reduce((sum, { buys, sells }) => sum + buys + sells, 0),
    volume24hWei: h24.reduce((sum, { volumeWei }) => sum + volumeWei, 0n),
    liquidityWeth: tokens.reduce((sum, { liquidityWeth }) => sum + (liquidityWeth ?? 0n), 0n),
  }
}
