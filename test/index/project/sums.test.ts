import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hex } from '#domain/address.ts'
import { chain, curveOf, index, poolOf, TOKENS } from './randomMarket.ts'

it('keeps what each pool holds equal to what its events moved', () => {
  fc.assert(
    fc.property(chain, blocks => {
      const held = new Map<Hex, readonly [token: bigint | null, quote: bigint | null]>()
      // What a pool pays out and was never seen to get, it held before: what it holds is not known then.
      const moved = (before: bigint | null, amount: bigint) => (before === null || before + amount < 0n ? null : before + amount)
      for (const event of blocks.flatMap(({ events }) => events)) {
        if (event.kind === 'migrated') {
          const [ofToken, ofQuote] = held.get(curveOf(event.token)) ?? [null, null]
          held.set(curveOf(event.token), [ofToken && 0n, ofQuote && 0n])
        }
        if (event.kind !== 'poolChanged' || event.reserves === null) continue
        const { mode, token, quote } = event.reserves
        const [ofToken, ofQuote] = held.get(event.pool) ?? [null, null]
        held.set(event.pool, mode === 'set' ? [token, quote] : [moved(ofToken, token), moved(ofQuote, quote)])
      }
      const { pools } = index(blocks, [true, false]).tables
      for (const address of TOKENS.flatMap(token => [curveOf(token), poolOf(token)])) {
        const pool = pools.get(address)
        expect([pool?.reserveToken ?? null, pool?.reserveQuote ?? null]).toEqual(held.get(address) ?? [null, null])
      }
    }),
  )
})

it('keeps the accounts of a creator equal to the sum of the fees, and opens none for an event of known ones', () => {
  fc.assert(
    fc.property(chain, blocks => {
      const sums = new Map<string, { accrued: bigint; claimed: bigint }>()
      for (const event of blocks.flatMap(({ events }) => events)) {
        if (event.kind !== 'creatorFee' || (event.onlyKnown && !sums.has(event.token))) continue
        const before = sums.get(event.token) ?? { accrued: 0n, claimed: 0n }
        const claimed = before.claimed + event.claimed
        const earned = before.accrued + (event.accrued ?? 0n)
        // No more is claimed than was earned.
        sums.set(event.token, { accrued: earned > claimed ? earned : claimed, claimed })
      }
      const { creatorFees } = index(blocks, [true, false]).tables
      const stored = Array.from(creatorFees.values(), ({ token, accrued, claimed }) => [token, { accrued, claimed }] as const)
      expect(new Map(stored)).toEqual(sums)
    }),
    { numRuns: 300 },
  )
})
