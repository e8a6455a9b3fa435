import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '#domain/text.ts'
import { encodeUpdate, MAX_STATE_BYTES, type UpdatedState, withTrades } from '#protocol/encodeUpdate.ts'
import { MAX_MESSAGE_BYTES } from '#protocol/limits.ts'
import { tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import type { Token, TokenSnapshot } from '#resources/token.ts'
import { addressOf, hashOf, holdersOf, recentOf, snapshotOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { FREE_TEXTS, hostileSnapshot } from './hostileSnapshots.ts'

let largest = 0
let encodings = 0

function encode(snapshot: TokenSnapshot): { readonly update: UpdatedState; readonly size: number } {
  const { update, bytes } = encodeUpdate(snapshot)
  encodings++
  const longest = { trades: null, replacedFrom: Number.MAX_SAFE_INTEGER }
  for (const since of [longest, { trades: [], replacedFrom: 7 }, { trades: snapshot.recent.trades, replacedFrom: null }]) {
    const whole = withTrades(bytes, since)
    largest = Math.max(largest, whole.length)
    expect(whole.length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(whole)
    expect(text).not.toMatch(/[\r\n]/)
    const { trades, replacedFrom, ...parsed } = tokenUpdateSchema.parse(JSON.parse(text))
    expect(parsed).toEqual(update)
    expect(trades === null || trades.length === since.trades?.length).toBe(true)
    expect(replacedFrom).toBe(since.replacedFrom?.toString())
  }
  return { update, size: bytes.length + 1 }
}

const byteSize = (update: UpdatedState) => Buffer.byteLength(JSON.stringify(update))

/** Everything of a token that no shortening may touch. */
function untouchable(token: Token): Partial<Token> {
  const { description: _d, links: _l, metadataUri: _m, imageUrl: _i, name: _n, symbol: _s, ...rest } = token
  return rest
}

describe('encodeUpdate', () => {
  afterAll(() => {
    process.stdout.write(`largest of ${encodings} updates: ${largest} bytes\n`)
  })

  it('carries the token, its latest trade and its holders as they are', () => {
    const snapshot = snapshotOf(addressOf(1), 1795000000123)
    const { update } = encode(snapshot)
    expect(update).toEqual({
      type: 'token.update',
      sequence: 1795000000123,
      token: snapshot.token,
      latestTrade: snapshot.recent.trades[0],
      holders: snapshot.holders,
      reason: 'chain',
      sourceBlock: '456',
      timestamp: '2026-01-02T03:04:08.123Z',
    })
  })

  it('carries at most 20 holders', () => {
    const { update } = encode({ ...snapshotOf(addressOf(1), 1), holders: holdersOf(25) })
    expect(update.holders).toEqual(holdersOf(20))
  })

  it('drops holders from the end before it touches a text', () => {
    const description = 'd'.repeat(13_000)
    const { update } = encode(snapshotOf(addressOf(1), 1, { description }))
    expect(update.token.description).toBe(description)
    expect(update.holders.length).toBeGreaterThan(0)
    expect(update.holders).toEqual(holdersOf(update.holders.length))
    expect(update.holders.length).toBeLessThan(20)
  })

  it('shortens the texts in their order, each as little as is enough', () => {
    const long = { description: 'd'.repeat(9_000), metadataUri: 'm'.repeat(9_000), imageUrl: 'i'.repeat(9_000), name: 'n'.repeat(2_000) }
    const { update, size } = encode(snapshotOf(addressOf(1), 1, long))
    expect(update.holders).toEqual([])
    expect(update.token.description).toBeNull()
    expect(update.token.metadataUri).toMatch(/^m+$/)
    expect(update.token.imageUrl).toBe(long.imageUrl)
    expect(update.token.name).toBe(long.name)
    expect(size).toBe(MAX_STATE_BYTES)
  })

  it('cuts between code points', () => {
    const { update, size } = encode(snapshotOf(addressOf(1), 1, { name: `x${'😀'.repeat(250_000)}` }))
    expect(update.token.name).toMatch(/^x(?:😀)+$/u)
    expect(size).toBeGreaterThan(MAX_STATE_BYTES - 4)
  })

  it('makes broken surrogates well formed', () => {
    const { update } = encode(snapshotOf(addressOf(1), 1, { name: '\ud800a\udc00', symbol: '\udfff' }))
    expect(update.token).toMatchObject({ name: '\ufffda\ufffd', symbol: '\ufffd' })
  })

  it('fits a token of megabytes of control characters with the largest numbers there are', () => {
    const giant = '\0'.repeat(1_000_000)
    const wei = '9'.repeat(78)
    const decimal = `0.${'9'.repeat(98)}`
    const base = tokenOf(addressOf(1), Number.MAX_SAFE_INTEGER)
    const windows = { m5: decimal, h1: decimal, h6: decimal, h24: decimal }
    const token: Token = {
      ...base,
      description: giant,
      metadataUri: giant,
      imageUrl: giant,
      name: giant,
      symbol: giant,
      totalSupply: wei,
      market: {
        ...base.market,
        priceQuote: decimal,
        priceWeth: decimal,
        priceUsd: decimal,
        marketCapWeth: decimal,
        marketCapUsd: decimal,
        liquidityWeth: decimal,
        liquidityUsd: decimal,
        volumeWeth: windows,
        athPriceWeth: decimal,
        athPriceUsd: decimal,
      },
      pool: {
        address: hashOf(9),
        type: 'uniswap-v4' as const,
        quoteToken: addressOf(2),
        quoteSymbol: '\0'.repeat(TEXT_LIMITS.quoteSymbol),
        quoteDecimals: 36,
        feeBps: 0.0001,
        tick: -887272,
        reserveToken: wei,
        reserveQuote: wei,
        sqrtPriceX96: wei,
        liquidity: wei,
      },
      fees: { creatorFeeBps: 50, accruedWeth: decimal, claimedWeth: decimal, claimableWeth: decimal },
    }
    const { update } = encode({ token, recent: recentOf([tradeOf(addressOf(1))]), holders: holdersOf(20) })
    expect(untouchable(update.token)).toEqual(untouchable(token))
  })

  it('throws for a token whose numbers alone are too large', () => {
    expect(() => encodeUpdate(snapshotOf(addressOf(1), 1, { totalSupply: '9'.repeat(17_000) }))).toThrow(RangeError)
  })

  it('fits any hostile token, alters no number and drops no more than it must', () => {
    fc.assert(
      fc.property(hostileSnapshot, snapshot => {
        const { update, size } = encode(snapshot)
        expect(untouchable(update.token)).toEqual(untouchable(snapshot.token))
        expect(update.latestTrade).toEqual(snapshot.recent.trades[0] ?? null)
        const owed = snapshot.holders.slice(0, 20)
        expect(update.holders).toEqual(owed.slice(0, update.holders.length))
        const hasLinks = update.token.links.length === snapshot.token.links.length
        if (update.holders.length < owed.length && hasLinks) {
          const oneMore = { ...update, holders: owed.slice(0, update.holders.length + 1) }
          expect(byteSize(oneMore)).toBeGreaterThan(MAX_STATE_BYTES)
        }
        expect(update.token.links).toEqual(snapshot.token.links.slice(0, update.token.links.length))
        expectTexts(update, snapshot.token, size)
      }),
      { numRuns: 300 },
    )
  })
})

/** A text is whole or a beginning of itself; only the first ones of the order are cut, all but the last of them to nothing. */
function expectTexts(update: UpdatedState, token: Token, size: number): void {
  const cut = FREE_TEXTS.filter(field => update.token[field] !== (token[field]?.toWellFormed() ?? null))
  if (cut.length === 0) return
  expect(update.holders).toEqual([])
  expect(update.token.links).toEqual([])
  const last = cut.at(-1) ?? 'symbol'
  for (const field of FREE_TEXTS) {
    const whole = token[field]?.toWellFormed() ?? ''
    const kept = update.token[field] ?? ''
    expect(whole.startsWith(kept)).toBe(true)
    expect(kept.isWellFormed()).toBe(true)
    if (field === last) break
    expect(kept.length).toBeLessThan(2)
  }
  // The next code point of the last text would not have fitted: it has at most 6 bytes, and `null` may stand for a text of one more.
  if (update.token[last] !== null) expect(size).toBeGreaterThan(MAX_STATE_BYTES - 6)
}
