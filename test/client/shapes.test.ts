import { describe, expect, it } from 'vitest'
import * as shapes from '#client/generated/shapes.ts'
import type { Token } from '#client/generated/types.ts'
import { pageShape } from '#client/rest/pageShape.ts'
import { mismatch, object, type Shape, string } from '#client/rest/shape.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'

describe('the shapes of the client', () => {
  it('name the field that does not fit', () => {
    const token = tokenOf(addressOf(1), 7)
    expect(mismatch(shapes.tokenShape, { ...token, news: true })).toBeNull()
    expect(mismatch(shapes.tokenShape, { ...token, sequence: 1.5 })).toBe('sequence')
    expect(mismatch(shapes.tokenShape, { ...token, market: { ...token.market, priceWeth: 1 } })).toBe('market.priceWeth')
    expect(mismatch(shapes.tokenShape, { ...token, pool: [] })).toBe('pool')
    expect(mismatch(shapes.tokenShape, [])).toBe('')
    expect(
      mismatch(pageShape(shapes.tokenShape), { data: [token, { ...token, totalSupply: '1e27' }], nextCursor: null, asOfBlock: '1' }),
    ).toBe('data.1.totalSupply')
    expect(mismatch(shapes.actorStateShape, JSON.parse('{"__proto__":{"token":"x"}}'))).toBe('token')
    // JSON has no infinity, but a number can overflow to it.
    expect(
      mismatch(shapes.ethUsdShape.kind === 'object' ? (shapes.ethUsdShape.fields['ageSeconds'] ?? string) : string, JSON.parse('1e999')),
    ).toBe('')
  })

  it('are checked against their types by the compiler', () => {
    // @ts-expect-error A field is missing.
    const short: Shape<Pick<Token, 'symbol' | 'launchpad'>> = object({ launchpad: string })
    // @ts-expect-error A symbol may be null.
    const narrow: Shape<Pick<Token, 'symbol'>> = object({ symbol: string })
    expect([short.kind, narrow.kind]).toEqual(['object', 'object'])
  })
})
