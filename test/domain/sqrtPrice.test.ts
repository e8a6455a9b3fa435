import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_TICK, sqrtPriceAtTick } from '#domain/prices.ts'

/** The factors that Uniswap's contract names, by the digit of the tick. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('@uniswap/v3-core/contracts/libraries/TickMath.sol'), 'utf8')
const FACTORS = [...SOURCE.matchAll(/absTick & (0x[0-9a-f]+) != 0\D+?(0x[0-9a-f]{20,})/g)].map(([, digit, factor]) => ({
  digit: Number(digit),
  factor: BigInt(factor ?? 0),
}))

function asTheContract(tick: number): bigint {
  let ratio = 1n << 128n
  for (const { digit, factor } of FACTORS) {
    if ((Math.abs(tick) & digit) !== 0) ratio = (ratio * factor) >> 128n
  }
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  return (ratio >> 32n) + (ratio % (1n << 32n) === 0n ? 0n : 1n)
}

test('the root of the price at a tick is that of the contract, to the last bit', () => {
  expect(FACTORS).toHaveLength(20)
  expect([-MAX_TICK, 0, MAX_TICK].map(sqrtPriceAtTick)).toEqual([
    4_295_128_739n,
    1n << 96n,
    1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n,
  ])
  fc.assert(
    fc.property(fc.integer({ min: -MAX_TICK, max: MAX_TICK }), tick => {
      expect(sqrtPriceAtTick(tick)).toBe(asTheContract(tick))
    }),
    { numRuns: 1_000 },
  )
})
