import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'

const seeds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })

describe('createRandom', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const draw = (seed: number) => Array.from({ length: 20 }, createRandom(seed).unit)
    expect(draw(7)).toEqual(draw(7))
    fc.assert(
      fc.property(seeds, seeds, (a, b) => {
        fc.pre(a !== b)
        expect(draw(a)).not.toEqual(draw(b))
      }),
    )
  })

  it('stays within the given bounds', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: -50, max: 50 }), fc.nat(100), (seed, min, width) => {
        const random = createRandom(seed)
        for (let draw = 0; draw < 50; draw++) {
          const whole = random.integer(min, min + width)
          expect(Number.isInteger(whole) && whole >= min && whole <= min + width).toBe(true)
          const amount = random.spread(0.001, 5)
          expect(amount >= 0.001 && amount <= 5).toBe(true)
        }
      }),
    )
  })

  it('draws every value with the expected frequency', () => {
    const random = createRandom(1)
    const counts = [0, 0, 0]
    for (let draw = 0; draw < 30_000; draw++) counts[random.weighted([1, 0, 2])]! += 1
    expect(counts[1]).toBe(0)
    expect(counts[0]! / 30_000).toBeCloseTo(1 / 3, 1)
    const mean = Array.from({ length: 30_000 }, random.unit).reduce((sum, unit) => sum + unit, 0) / 30_000
    expect(mean).toBeCloseTo(0.5, 1)
  })

  it('rejects an empty list', () => {
    expect(() => createRandom(1).pick([])).toThrow(RangeError)
  })
})
