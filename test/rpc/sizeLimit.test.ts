import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAllowed, afterTooLarge, type SizeLimit, shrunkTo, unlimitedUpTo } from '#rpc/limits.ts'

const MOST = 100_000
const UNLIMITED = unlimitedUpTo(MOST, 1.5)

/** Asks `requests` times for the size, of a provider that allows `limit`. */
function search(limit: number, requests: number): { size: SizeLimit; refusals: number } {
  let size = UNLIMITED
  let refusals = 0
  for (let request = 1; request <= requests; request++) {
    const asked = size.size
    if (asked <= limit) size = afterAllowed(size, asked)
    else {
      size = afterTooLarge(size, asked)
      expect(size.size).toBeLessThan(asked)
      refusals++
    }
  }
  return { size, refusals }
}

describe('a size limit', () => {
  it('is found by refusals, and then costs few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST - 1 }), limit => {
        const { size, refusals } = search(limit, 1_000)
        expect(size.allowed).toBeLessThanOrEqual(limit)
        // Within an eighth.
        expect(size.allowed).toBeGreaterThanOrEqual(Math.max(1, Math.floor(limit * 0.85) - 1))
        expect(refusals).toBeLessThan(40)
      }),
    )
  })

  // A range of 100 blocks, learned once, was kept for the life of the process.
  it('grows with a limit that is lifted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST - 1 }), fc.integer({ min: 1, max: 5_000 }), (limit, requests) => {
        let { size } = search(limit, requests)
        for (let request = 0; request < 400; request++) size = afterAllowed(size, size.size)
        expect(size.size).toBe(MOST)
      }),
      { numRuns: 50 },
    )
  })

  it('tries a found limit again ever more seldom', () => {
    const refusalsIn = (from: number, to: number) => search(50, to).refusals - search(50, from).refusals
    expect([refusalsIn(20, 100), refusalsIn(1_000, 2_000), refusalsIn(2_000, 4_000)]).toEqual([2, 4, 8])
  })

  it('shrinks for a moment, and grows again with the answers', () => {
    const shrunk = shrunkTo(UNLIMITED, 4_000)
    expect(shrunk.size).toBe(4_000)
    expect(afterAllowed(shrunk, 4_000).size).toBe(6_000)
    expect(shrunkTo(shrunk, 5_000).size).toBe(4_000)
    expect(shrunkTo(shrunk, 0).size).toBe(1)
  })

  it('grows by one with a factor a little above 1', () => {
    const shrunk = shrunkTo(unlimitedUpTo(100, 1.01), 4)
    expect(afterAllowed(shrunk, 4).size).toBe(5)
  })

  it('learns nothing about the next size from a smaller request', () => {
    expect(afterAllowed(shrunkTo(UNLIMITED, 4_000), 17).size).toBe(4_000)
  })
})
