import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/maps.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { Changes, CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import { INDEX_TOTALS, type LaunchpadTotalsRow, TRADER, type TraderRow } from '#tables/totals.ts'
import { type Statements, unnested } from './insertRows.ts'

const DAY_SECONDS = WINDOW_SECONDS.h24

/**
 * Adds a batch to the totals of /api/chain-stats, in the caller's transaction, after the before-images are kept. The cost depends on the
 * batch alone. Sums and counts over tokens change by the difference that the batch's tokens make. The number of traders of the last 24
 * hours grows by the batch's makers, and falls by the traders whose last trade has become older since the totals were last computed.
 *
 * @param before as in `BatchChanges`
 * @param makers the `makerDifferences` of the batch, which are written, too
 * @param now Unix seconds of the batch's last block. The totals never go back to an earlier time: a trader who has left them would leave
 *   them again
 */
export function* writeTotals(
  tokens: Changes['tokens'],
  before: CurrentRows['tokens'],
  makers: readonly TraderRow[],
  now: number,
): Statements {
  if (tokens.length === 0 && makers.length === 0) return
  const is = totalsOf(tokens)
  const was = totalsOf(tokens.flatMap(({ address }) => before.get(address) ?? []))
  yield sql`
    with counted as (
        select was - ${sql.lit(DAY_SECONDS)}::bigint as was_since, at, at - ${sql.lit(DAY_SECONDS)}::bigint as since
        from (select coalesce(max(counted_at), 0) as was, greatest(max(counted_at), ${now}::bigint) as at from index_totals) as times
      ),
      seen as (select ${unnested(TRADER.columns, makers)}),
      gone as (
        select count(*) as traders from counted join trader on trader.last_trade_at > counted.was_since and trader.last_trade_at <= counted.since
      ),
      come as (
        select count(*) as traders from counted cross join seen left join trader using (maker)
        where seen.last_trade_at > counted.since and (trader.last_trade_at is null or trader.last_trade_at <= counted.since)
      ),
      written as (
        insert into trader (${sql.join(TRADER.columns.map(({ name }) => sql.id(name)))}) select * from seen
        ${sql.raw(TRADER.merge)}
      )
    insert into index_totals
      (counted_at, tokens, bonding, completed, migrated, liquidity_weth, trades_h24, volume_h24, traders_h24)
    select counted.at, ${is.tokens - was.tokens}::integer, ${is.bonding - was.bonding}::integer, ${is.completed - was.completed}::integer,
      ${is.migrated - was.migrated}::integer, ${formatDecimal((is.liquidityWeth - was.liquidityWeth) as Decimal)}::numeric,
      ${is.tradesH24 - was.tradesH24}::bigint, ${(is.volumeH24 - was.volumeH24).toString()}::numeric, come.traders - gone.traders
    from counted cross join come cross join gone
    ${sql.raw(INDEX_TOTALS.merge)}`
}

/** The differences that the batch's tokens make to the totals of their launchpads. A token never changes its launchpad. */
export function launchpadDifferences(tokens: readonly TokenRow[], before: CurrentRows['tokens']): readonly LaunchpadTotalsRow[] {
  return [...Map.groupBy(tokens, ({ launchpad }) => launchpad)].map(([launchpad, ofLaunchpad]) => {
    const is = totalsOf(ofLaunchpad)
    const was = totalsOf(ofLaunchpad.flatMap(({ address }) => before.get(address) ?? []))
    return {
      launchpad,
      tokens: is.tokens - was.tokens,
      bonding: is.bonding - was.bonding,
      completed: is.completed - was.completed,
      migrated: is.migrated - was.migrated,
      tradesH24: is.tradesH24 - was.tradesH24,
      volumeH24: is.volumeH24 - was.volumeH24,
    }
  })
}

/** The differences that the batch makes to the totals of its makers. Only a maker's own trades change its realized profit. */
export function makerDifferences(
  { trades, balances }: Pick<Changes, 'trades' | 'balances'>,
  before: CurrentRows['balances'],
): readonly TraderRow[] {
  const differences = new Map<Address, { -readonly [Field in keyof TraderRow]: TraderRow[Field] }>()
  for (const { maker, timestamp, amountWei } of trades) {
    const none = { maker, firstTradeAt: timestamp, lastTradeAt: timestamp, trades: 0, volumeWei: 0n, ...NO_PROFITS }
    const difference = getOrInsert(differences, maker, () => none)
    difference.firstTradeAt = Math.min(timestamp, difference.firstTradeAt)
    difference.lastTradeAt = Math.max(timestamp, difference.lastTradeAt)
    difference.trades += 1
    difference.volumeWei += amountWei ?? 0n
  }
  for (const balance of balances) {
    const difference = differences.get(balance.holder)
    if (difference === undefined) continue
    const is = profitsOf(balance)
    const was = profitsOf(before.get(balance.token)?.get(balance.holder))
    difference.tokens += is.tokens - was.tokens
    difference.realizedWei += is.realizedWei - was.realizedWei
    difference.realizedUsd += is.realizedUsd - was.realizedUsd
    difference.tokensWithoutWei += is.tokensWithoutWei - was.tokensWithoutWei
    difference.tokensWithoutUsd += is.tokensWithoutUsd - was.tokensWithoutUsd
  }
  return [...differences.values()]
}

const NO_PROFITS = { tokens: 0, realizedWei: 0n, realizedUsd: 0n, tokensWithoutWei: 0, tokensWithoutUsd: 0 }

function profitsOf(balance: BalanceRow | undefined): typeof NO_PROFITS {
  if (balance === undefined || balance.firstTradeAt === null) return NO_PROFITS
  const { realizedWei, realizedUsd } = balance
  return {
    tokens: 1,
    realizedWei: realizedWei ?? 0n,
    realizedUsd: realizedUsd ?? 0n,
    tokensWithoutWei: realizedWei === null ? 1 : 0,
    tokensWithoutUsd: realizedUsd === null ? 1 : 0,
  }
}

function totalsOf(tokens: readonly TokenRow[]) {
  const inStatus = (status: TokenRow['graduationStatus']) => tokens.filter(({ graduationStatus }) => graduationStatus === status).length
  return {
    tokens: tokens.length,
    bonding: inStatus('bonding'),
    completed: inStatus('completed'),
    migrated: inStatus('migrated'),
    tradesH24: tokens.reduce((sum, { buysH24, sellsH24 }) => sum + buysH24 + sellsH24, 0),
    volumeH24: tokens.reduce((sum, { volumeH24 }) => sum + volumeH24, 0n),
    liquidityWeth: tokens.reduce((sum, { liquidityWeth }) => sum + (liquidityWeth ?? 0n), 0n),
  }
}
