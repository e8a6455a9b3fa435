import fc from 'fast-check'
import { expect, test } from 'vitest'
import { units } from '#domain/decimal.ts'
import { testAddress } from '#test/support/simulatedChain.ts'
import { amountsOf, FRACTION, follow, index, step, WETH } from './randomPositions.ts'

// One position of a pool a little wider than its price, worth a millionth of a WETH, once showed as 1,785 WETH of liquidity.

const [LOWER, HIGHER] = [testAddress(1), testAddress(0xff_ff)]

test.each([LOWER, HIGHER])('a v4 pool holds what its positions amount to at its price (%s)', token => {
  expect(token < WETH).toBe(token === LOWER)
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (steps, eventsPerBatch) => {
      const { events, positions, sqrtPriceX96 } = follow(token, steps)
      const { pool } = index(events, eventsPerBatch)
      const [amount0, amount1] = amountsOf(positions, sqrtPriceX96)
      const [ofToken, ofQuote] = token === LOWER ? [amount0, amount1] : [amount1, amount0]
      expect([pool?.positionsToken, pool?.positionsQuote]).toEqual([ofToken, ofQuote])
      expect([pool?.reserveToken, pool?.reserveQuote]).toEqual([ofToken >> FRACTION, ofQuote >> FRACTION])
    }),
    { numRuns: 300 },
  )
})

test('liquidity is twice the quote side that positions hold, however narrow they are round the price', () => {
  const narrow = { kind: 'add', lower: -1, width: 1, amount: 10n ** 22n } as const
  const swap = { kind: 'swap', tick: -1, beside: 1n } as const
  const { events, positions, sqrtPriceX96 } = follow(LOWER, [narrow, swap])
  const { pool, token } = index(events)
  const held = amountsOf(positions, sqrtPriceX96)[1] >> FRACTION
  expect(pool?.reserveQuote).toBe(held)
  expect(token?.liquidityWeth).toBe(units(2n * held, 18))
})

test('what a pool holds is not known when its events show liquidity that no known position has', () => {
  const { events } = follow(LOWER, [
    { kind: 'add', lower: -10, width: 20, amount: 5n },
    { kind: 'swap', tick: 3, beside: 1n },
  ])
  const before = events.slice(0, -2)
  expect(index([...before, ...events.slice(-1)])).toMatchObject({
    pool: { reserveToken: null, reserveQuote: null, positionsToken: null, positionsQuote: null },
    token: { liquidityWeth: null },
  })
  // The pool was opened before it was announced.
  const unopened = events.filter(event => !(event.kind === 'poolChanged' && event.concentrated?.liquidity === null))
  expect(index(unopened).pool?.reserveQuote).toBeNull()
  expect(index(events).pool?.reserveQuote).not.toBeNull()
})
