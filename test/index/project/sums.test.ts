import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hex } from '#domain/address.ts'
import { chain, curveOf, index, poolOf, TOKENS } from './randomMarket.ts'

it('keeps what each pool holds equal to what its events moved', () => {
  fc.assert(
    fc.property(chain, blocks => {
      const held = new Map<Hex, readonly [token: bigint, quote: bigint]>()
      for (const event of blocks.flatMap(({ events }) => events)) {
        if (event.kind === 'migrated') held.set(curveOf(event.token), [0n, 0n])
        if (event.kind !== 'poolChanged' || event.reserves === null) continue
        const { mode, token, quote } = event.reserves
        const [ofToken, ofQuote] = (mode === 'move' && held.get(event.pool)) || [0n, 0n]
        held.set(event.pool, [ofToken + (token ?? 0n), ofQuote + (quote ?? 0n)])
      }
      const { pools } = index(blocks, [true, false]).tables
      for (const address of TOKENS.flatMap(token => [curveOf(token), poolOf(token)])) {
        const pool = pools.get(address)
        expect([pool?.reserveToken ?? 0n, pool?.reserveQuote ?? 0n]).toEqual(held.get(address) ?? [0n, 0n])
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
