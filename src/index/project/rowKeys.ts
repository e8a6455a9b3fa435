import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { RowKeys } from '#tables/changes.ts'
import { movesNothing } from './balances.ts'

/** The rows that `project` needs for these events and outdated tokens. */
export function rowKeysOf(events: readonly TokenEvent[], outdated: readonly Address[]): RowKeys {
  const tokens = new Set<Address>(outdated)
  const currencies = new Set<Address>()
  const holders = new Map<Address, Set<Address>>()
  const creatorFees = new Map<string, RowKeys['creatorFees'][number]>()
  for (const event of events) {
    if (event.kind === 'transfer' && movesNothing(event)) continue
    const { token } = event
    tokens.add(token)
    if (event.kind === 'poolCreated') currencies.add(event.pool.quoteToken)
    if (event.kind === 'transfer') {
      setOf(holders, token).add(event.from).add(event.to)
    } else if (event.kind === 'trade') {
      setOf(holders, token).add(event.maker)
    } else if (event.kind === 'creatorFee') {
      const { launchpad, creator, currency, scope } = event
      const key = { launchpad, creator, currency, token: scope === 'token' ? token : ZERO_ADDRESS }
      creatorFees.set(creatorFeeKey(key), key)
    }
  }
  return {
    tokens: [...tokens],
    currencies: [...currencies],
    balances: [...holders].flatMap(([token, ofToken]) => [...ofToken].map(holder => ({ token, holder }))),
    creatorFees: [...creatorFees.values()],
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  let values = sets.get(key)
  if (values === undefined) sets.set(key, (values = new Set()))
  return values
}
