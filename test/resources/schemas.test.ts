import { describe, expect, it } from 'vitest'
import { candleSchema } from '#resources/candles.ts'
import { type Claimable, claimable as claimableResource } from '#resources/claimable.ts'
import { ethUsdPrice } from '#resources/ethUsd.ts'
import { holderSchema } from '#resources/holders.ts'
import { problemSchema } from '#resources/problem.ts'
import { listSchema } from '#resources/resource.ts'
import { tokenSchema } from '#resources/token.ts'
import { tradeSchema } from '#resources/trades.ts'
import { addressOf, hashOf, holdersOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { aClaimable } from '#test/support/walletRows.ts'

describe('the resource schemas', () => {
  it('accept a token, a trade and a holder', () => {
    const token = tokenOf(addressOf(1), 1795000000123)
    expect(tokenSchema.parse(token)).toEqual(token)
    expect(tradeSchema.parse(tradeOf(addressOf(1)))).toEqual(tradeOf(addressOf(1)))
    expect(listSchema(holderSchema).parse({ data: holdersOf(3), nextCursor: null, asOfBlock: '456' }).data).toEqual(holdersOf(3))
  })

  it.each([
    ['an address in upper case', { address: `0x${'A'.repeat(40)}` }],
    ['a number where a decimal string belongs', { totalSupply: 1000 }],
    ['an exponent', { totalSupply: '1e27' }],
    ['a sequence beyond the safe integers', { sequence: Number.MAX_SAFE_INTEGER + 1 }],
    ['a negative sequence', { sequence: -1 }],
    ['a time without milliseconds', { updatedAt: '2026-01-02T03:04:08Z' }],
    ['a missing value where null belongs', { pool: undefined }],
    ['an unknown graduation status', { graduation: { ...tokenOf(addressOf(1), 1).graduation, status: 'done' } }],
  ])('refuse %s', (_, change) => {
    expect(tokenSchema.safeParse({ ...tokenOf(addressOf(1), 1), ...change }).success).toBe(false)
  })

  it('accept what an escrow owes and how it is claimed', () => {
    const claimable: Claimable = { token: addressOf(1), creator: addressOf(2), asOfBlock: '456', claimable: [aClaimable()] }
    expect(claimableResource.answer.parse(claimable)).toEqual(claimable)
  })

  it('accept prices, candles, statistics and problems', () => {
    expect(
      ethUsdPrice.answer.safeParse({
        price: '3012.44',
        currency: 'USD',
        source: 'coingecko',
        fetchedAt: '2026-01-02T03:04:08.000Z',
        ageSeconds: 12,
        stale: false,
      }).success,
    ).toBe(true)
    expect(
      candleSchema.safeParse({ time: 1795000020, open: '1', high: '2.5', low: '0.1', close: '2', volume: '0', trades: 3 }).success,
    ).toBe(true)
    expect(
      problemSchema.safeParse({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: '0x… is not indexed',
        code: 'token_not_found',
        requestId: 'r1',
      }).success,
    ).toBe(true)
    expect(tokenSchema.safeParse(tokenOf(addressOf(1), 1, { createdTxHash: hashOf(7) })).success).toBe(true)
  })
})
