import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAllowed, afterTooLarge, type SizeLimit, shrunkTo, unlimitedUpTo } from '#rpc/sizeLimit.ts'

const MOST = 100_000
const UNLIMITED = unlimitedUpTo(MOST, 1.5)

/** Asks `requests` times for the size, of a provider that allows `limit` and states it, or not. */
function search(limit: number, isStated: boolean, requests: number): { size: SizeLimit; refusals: number; lastRefusalAt: number } {
  let size = UNLIMITED
  let refusals = 0
  let lastRefusalAt = 0
  for (let request = 1; request <= requests; request++) {
    const asked = size.size
    if (asked <= limit) size = afterAllowed(size, asked)
    else {
      size = afterTooLarge(size, asked, isStated ? limit : null)
      expect(size.size).toBeLessThan(asked)
      refusals++
      lastRefusalAt = request
    }
  }
  return { size, refusals, lastRefusalAt }
}

describe('a size limit', () => {
  it('is the one that the provider states, after one refusal', () => {
    const { size, refusals, lastRefusalAt } = search(2_000, true, 50)
    expect(size).toMatchObject({ size: 2_000, allowed: 2_000, refused: 2_001 })
    expect([refusals, lastRefusalAt]).toEqual([1, 1])
  })

  it('is found within an eighth when it is not stated, and then costs no more refusals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MOST - 1 }), limit => {
        const { size, refusals, lastRefusalAt } = search(limit, false, 200)
        expect(size.size).toBeLessThanOrEqual(limit)
        expect(size.size).toBeGreaterThanOrEqual(Math.max(1, Math.floor(limit * 0.85) - 1))
        expect(refusals).toBeLessThan(30)
        expect(lastRefusalAt).toBeLessThan(100)
      }),
    )
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

  it('does not grow past the stated limit', () => {
    let size = shrunkTo(afterTooLarge(UNLIMITED, 50_000, 1_000), 500)
    for (let request = 0; request < 20; request++) size = afterAllowed(size, size.size)
    expect(size.size).toBe(1_000)
  })

  it('learns nothing about the next size from a smaller request', () => {
    expect(afterAllowed(shrunkTo(UNLIMITED, 4_000), 17).size).toBe(4_000)
  })

  it('is halved when the stated size is refused all the same', () => {
    expect(afterTooLarge(afterTooLarge(UNLIMITED, 5_000, 2_000), 2_000, 2_000).size).toBe(1_000)
  })
})
