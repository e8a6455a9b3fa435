import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDecimal } from '#domain/decimal.ts'
import { MalformedLogError } from '#launchpads/malformedLog.ts'
import { swapFee } from '#launchpads/pools/poolTrade.ts'
import { concentratedState, priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'

const Q96 = 2n ** 96n

test('is one at the square-root price of one', () => {
  expect(formatDecimal(priceFromSqrt(Q96, { tokenIsToken0: true }, 18) ?? (0n as never))).toBe('1')
})

test('counts in whole tokens, whatever their decimals', () => {
  // One raw unit of a 6-decimal token for one wei: a whole token is 10^6 units, hence 10^-12 WETH.
  expect(formatDecimal(priceFromSqrt(Q96, { tokenIsToken0: true }, 6) ?? (0n as never))).toBe('0.000000000001')
})

test('is null for a pool that is not initialised', () => {
  expect(priceFromSqrt(0n, { tokenIsToken0: false }, 18)).toBeNull()
})

test('agrees with floating point in either token order', () => {
  fc.assert(
    fc.property(fc.integer({ min: -300_000, max: 300_000 }), fc.boolean(), (tick, tokenIsToken0) => {
      const sqrt = 1.0001 ** (tick / 2)
      const sqrtPriceX96 = (BigInt(Math.round(sqrt * 2 ** 52)) * Q96) / 2n ** 52n
      fc.pre(sqrtPriceX96 > 2n ** 60n)
      const price = Number(formatDecimal(priceFromSqrt(sqrtPriceX96, { tokenIsToken0 }, 18) ?? (0n as never)))
      const expected = tokenIsToken0 ? (Number(sqrtPriceX96) / 2 ** 96) ** 2 : (2 ** 96 / Number(sqrtPriceX96)) ** 2
      expect(Math.abs(price / expected - 1)).toBeLessThan(1e-9)
    }),
  )
})

test('takes the fee from the WETH of a buy, and of a sell what the withheld tokens are worth', () => {
  expect(swapFee('buy', 1_000_000n, 10_000n)).toBe(10_000n)
  expect(swapFee('buy', 1n, 10_000n)).toBe(1n)
  // 99 received of 100: one percent of the tokens stayed.
  expect(swapFee('sell', 99n * 10n ** 18n, 10_000n)).toBe(10n ** 18n)
  // A sell in a pool of which a launchpad said 10,000 basis points was divided by zero, and indexing never got past its block.
  expect(swapFee('sell', 1n, 1_000_000n)).toBeNull()
})

test('a state is read to the ends of its types, and past them is none: no column could hold it', () => {
  const lowest = 2n ** 256n - 2n ** 23n
  expect(concentratedState(2n ** 160n - 1n, lowest, 2n ** 128n - 1n)).toEqual({
    sqrtPriceX96: 2n ** 160n - 1n,
    tick: -(2 ** 23),
    liquidity: 2n ** 128n - 1n,
  })
  expect(concentratedState(0n, 2n ** 23n - 1n)).toEqual({ sqrtPriceX96: 0n, tick: 2 ** 23 - 1, liquidity: null })
  for (const [sqrtPriceX96, tick, liquidity] of [
    [2n ** 160n, 0n, 0n],
    [0n, 2n ** 23n, 0n],
    [0n, lowest - 1n, 0n],
    [0n, 2n ** 255n, 0n],
    [0n, 0n, 2n ** 128n],
  ] as const) {
    expect(() => concentratedState(sqrtPriceX96, tick, liquidity)).toThrow(MalformedLogError)
  }
})
