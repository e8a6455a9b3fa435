import { expect, test } from 'vitest'
import type { RecentTrades } from '#resources/trades.ts'
import { KnownTrades } from '#store/reads/snapshots.ts'
import { addressOf } from '#test/support/snapshots.ts'

test('the trades of the thousand tokens that were kept last are known', () => {
  const known = new KnownTrades()
  const recent = {} as RecentTrades
  for (let token = 1; token <= 1_000; token++) known.keep(addressOf(token), recent)
  known.keep(addressOf(1), recent)
  known.keep(addressOf(1_001), recent)
  expect([1, 2, 3, 1_001].map(token => known.of(addressOf(token)) !== undefined)).toEqual([true, false, true, true])
})
