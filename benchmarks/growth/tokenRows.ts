import type { Address, Hex } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { type Decimal, parseDecimal } from '#domain/decimal.ts'
import { EMPTY_AGING, perWindow, windowFields } from '#domain/windows.ts'
import { project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { balancesOf, type Changes, type CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import { addressOf } from './hex.ts'
import { END, type GrowthScale, startOf } from './scale.ts'
import { WETH } from './tokenEvents.ts'
import type { TokenPlan } from './tokenPlan.ts'

/** The rows of one token at the end of the history, as the indexer would have left them. */
export interface TokenRows {
  readonly tokens: readonly TokenRow[]
  readonly pools: Changes['pools']
  readonly balances: Changes['balances']
  readonly creatorFees: Changes['creatorFees']
  readonly trades: Changes['trades']
  readonly candles: Changes['candles']
  readonly earlyClasses: Changes['earlyClasses']
}

interface Segment {
  /** The end in Unix seconds, exclusive. The period begins at the end of the previous one. */
  readonly to: number
  /** `null`: backfilled, without a known price. */
  readonly ethUsd: Decimal | null
}

const DAY_SECONDS = 86_400

/**
 * Periods of one ETH price each: first a backfill, then some price changes with an outage. They end with days, so that no candle is in
 * two of them, and the last is longer than the longest window.
 */
function segmentsOf(scale: GrowthScale): readonly Segment[] {
  const start = startOf(scale)
  const after = (share: number) => start + Math.floor((scale.days - 2) * share) * DAY_SECONDS
  return [
    { to: after(0.6), ethUsd: null },
    { to: after(0.8), ethUsd: parseDecimal('2890.51') },
    { to: after(0.84), ethUsd: null },
    { to: after(1), ethUsd: parseDecimal('3120.2') },
    { to: END + 1, ethUsd: parseDecimal('3055.12') },
  ]
}

/** Projects all events of a token, one period after the other. */
export function tokenRows(scale: GrowthScale, plan: TokenPlan, events: readonly TokenEvent[]): TokenRows {
  const tokens = new Map<Address, TokenRow>()
  const pools: Map<Hex, Changes['pools'][number]> = new Map()
  const balances = new Map<string, Changes['balances'][number]>()
  const creatorFees = new Map<string, Changes['creatorFees'][number]>()
  const trades: Changes['trades'][number][] = []
  const candles: Changes['candles'][number][] = []
  const earlyClasses = new Map<string, Changes['earlyClasses'][number]>()
  let from = 0
  for (const { to, ethUsd } of segmentsOf(scale)) {
    let next = from
    while (next < events.length && (events[next]?.timestamp ?? 0) < to) next++
    const now = Math.min(to - 1, END)
    const held = { balances: balancesOf(balances.values()), creatorFees }
    const rows = {
      tokens: withEmptyWindows(tokens),
      pools,
      ticks: new Map(),
      quotes: new Map(),
      ...held,
      aging: agingOf(tokens),
      lastTrades: new Map(),
    }
    const changes = project({
      events: events.slice(from, next),
      rows,
      now,
      ...valuationOf({ weth: WETH }, []),
      providedEthUsd: ethUsd,
      directory: { lookup: lookupOf(plan) },
    })
    from = next
    for (const row of changes.tokens) tokens.set(row.address, row)
    for (const row of changes.pools) pools.set(row.address, row)
    for (const row of changes.balances) balances.set(`${row.token} ${row.holder}`, row)
    for (const row of changes.creatorFees) creatorFees.set(creatorFeeKey(row), row)
    for (const row of changes.trades) trades.push(row)
    for (const row of changes.candles) candles.push(row)
    for (const row of changes.earlyClasses) {
      const { wallets = 0, boughtToken = 0n, soldToken = 0n } = earlyClasses.get(row.class) ?? {}
      const sums = { wallets: wallets + row.wallets, boughtToken: boughtToken + row.boughtToken, soldToken: soldToken + row.soldToken }
      earlyClasses.set(row.class, { ...row, ...sums })
    }
  }
  return {
    tokens: [...tokens.values()],
    pools: [...pools.values()],
    balances: [...balances.values()],
    creatorFees: [...creatorFees.values()],
    trades,
    candles,
    earlyClasses: [...earlyClasses.values()],
  }
}

const EMPTY_WINDOWS = {
  ...windowFields('volume', () => 0n),
  ...windowFields('buyVolume', () => 0n),
  ...windowFields('buys', () => 0),
  ...windowFields('sells', () => 0),
  ...windowFields('buyers', () => 0),
  ...windowFields('sellers', () => 0),
}

/** At the end of the last period every trade of earlier periods has left every window. */
function withEmptyWindows(tokens: ReadonlyMap<Address, TokenRow>): CurrentRows['tokens'] {
  return new Map([...tokens].map(([address, token]) => [address, { ...token, ...EMPTY_WINDOWS }]))
}

function agingOf(tokens: ReadonlyMap<Address, TokenRow>): CurrentRows['aging'] {
  return new Map([...tokens].map(([address, { priceWeth }]) => [address, perWindow(() => ({ ...EMPTY_AGING, referencePrice: priceWeth }))]))
}

const LOCKERS = new Set(Array.from({ length: 5 }, (_, index) => addressOf('contract', index)))

function lookupOf({ address, curve, pool, launchpad, fate }: TokenPlan): (address: Address) => LogSource | undefined {
  const facts = { quoteToken: WETH, tokenIsToken0: true, feeBps: 100 }
  const base = { role: 'pool', launchpad, token: address, tokenDecimals: 18 } as const
  return holder => {
    if (holder === curve) return { ...base, pool: { ...facts, address: curve, type: fate === 'none' ? 'uniswap-v3' : 'curve' } }
    if (holder === pool) return { ...base, pool: { ...facts, address: pool, type: 'uniswap-v3' } }
    return LOCKERS.has(holder) ? { role: 'contract', launchpad } : undefined
  }
}
