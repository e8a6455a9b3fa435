import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import { isPoolId } from '#launchpads/directory/directory.ts'
import type { TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import type { RowKeys, TickRange } from '#tables/changes.ts'
import { movesNothing } from './balances.ts'

/** The keys of the rows that `project` needs for these events and outdated tokens. @param dollars as in `Valuation` */
export function rowKeysOf(events: readonly TokenEvent[], outdated: readonly Address[], dollars: readonly Address[]): RowKeys {
  const tokens = new Set<Address>(outdated)
  const currencies = new Set(events.length === 0 ? [] : dollars)
  const holders = new Map<Address, Set<Address>>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  const ticks = new Map<string, RowKeys['ticks'][number]>()
  for (const event of events) {
    if (event.kind === 'transfer' && movesNothing(event)) continue
    const { token } = event
    tokens.add(token)
    if (event.kind === 'poolCreated') currencies.add(event.pool.quoteToken)
    if (event.kind === 'poolChanged') for (const range of ticksOfChange(event)) addTicks(ticks, range)
    if (event.kind === 'transfer') {
      getOrInsert(holders, token, () => new Set())
        .add(event.from)
        .add(event.to)
    } else if (event.kind === 'trade') {
      getOrInsert(holders, token, () => new Set()).add(event.maker)
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return {
    tokens: [...tokens],
    currencies: [...currencies],
    ticks: [...ticks.values()],
    balances: [...holders].flatMap(([token, ofToken]) => [...ofToken].map(holder => ({ token, holder }))),
    creatorFees: [...creatorFees.values()],
  }
}

function ticksOfChange({ pool, concentrated, liquidityChange }: TokenEventOf<'poolChanged'>): readonly TickRange[] {
  // Only Uniswap v4 pools are known by an id.
  if (!isPoolId(pool)) return []
  const bounds = liquidityChange === null ? [] : [liquidityChange.tickLower, liquidityChange.tickUpper]
  return [
    ...bounds.map(tick => ({ pool, from: tick, to: tick, isPrice: false })),
    ...(concentrated === null ? [] : [{ pool, from: concentrated.tick, to: concentrated.tick, isPrice: true }]),
  ]
}

/** Adds a range. All prices of a pool are merged into one range. */
function addTicks(ranges: Map<string, TickRange>, range: TickRange): void {
  const key = range.isPrice ? range.pool : `${range.pool} ${range.from}`
  const { from, to } = ranges.get(key) ?? range
  ranges.set(key, { ...range, from: Math.min(from, range.from), to: Math.max(to, range.to) })
}
