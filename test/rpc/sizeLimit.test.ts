import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAllowed, afterTooLarge, type SizeLimit, shrunkTo, unlimitedUpTo } from '#rpc/limits.ts'

const MOST = 100_000
const UNLIMITED = unlimitedUpTo(MOST, 1.5)

/** Asks `requests` times for the size, of a provider that allows `limit` and says `hint` when it refuses. */
function search(limit: number, hint: number | null, requests: number): { size: SizeLimit; refusals: number; lastRefusalAt: number } {
  let size = UNLIMITED
  let refusals = 0
  let lastRefusalAt = 0
  for (let request = 1; request <= requests; request++) {
    const asked = size.size
    if (asked <= limit) size = afterAllowed(size, asked)
    else {
      size = afterTooLarge(size, asked, hint)
      expect(size.size).toBeLessThan(asked)
      refusals++
      lastRefusalAt = request
    }
  }
  return { size, refusals, lastRefusalAt }
}

describe('a size limit', () => {
  it('is the one that the provider states, once its words have proved right', () => {
    const { size, refusals, lastRefusalAt } = search(2_000, 2_000, 12)
    expect(size).toMatchObject({ size: 2_000, allowed: 2_000, refused: 2_001 })
    expect([refusals, lastRefusalAt]).toEqual([2, 3])
  })

  it('is found whatever the words say, and then costs few refusals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST - 1 }), fc.option(fc.integer({ min: 0, max: MOST })), (limit, hint) => {
        const { size, refusals } = search(limit, hint, 1_000)
        expect(size.allowed).toBeLessThanOrEqual(limit)
        // Within an eighth, and within a third if the words name a size in between.
        expect(size.allowed).toBeGreaterThanOrEqual(Math.max(1, Math.floor(limit * (hint === null ? 0.85 : 0.65)) - 1))
        expect(refusals).toBeLessThan(40)
      }),
    )
  })

  // A range of 100 blocks, learned once, was kept for the life of the process.
  it('grows with a limit that is lifted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST - 1 }), fc.integer({ min: 1, max: 5_000 }), (limit, requests) => {
        let { size } = search(limit, null, requests)
        for (let request = 0; request < 400; request++) size = afterAllowed(size, size.size)
        expect(size.size).toBe(MOST)
      }),
      { numRuns: 50 },
    )
  })

  it('tries a found limit again ever more seldom', () => {
    const refusalsIn = (from: number, to: number) => search(50, 50, to).refusals - search(50, 50, from).refusals
    expect([refusalsIn(10, 100), refusalsIn(1_000, 2_000), refusalsIn(2_000, 4_000)]).toEqual([2, 4, 8])
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

  it('is halved when the stated size is refused all the same', () => {
    expect(afterTooLarge(afterTooLarge(UNLIMITED, 5_000, 2_000), 2_000, 2_000).size).toBe(1_000)
  })
})
