import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAnsweredRange, afterRefusedRange, MAX_RANGE_BLOCKS, type RangeSize, UNLIMITED_RANGE } from '#chain/logs/rangeSize.ts'

/** Asks `calls` times what the size says, of a provider that allows `limit` blocks and says so, or not. */
function converse(limit: number, tellsLimit: boolean, calls: number): { size: RangeSize; refusals: number; lastRefusalAt: number } {
  let size = UNLIMITED_RANGE
  let refusals = 0
  let lastRefusalAt = 0
  for (let call = 1; call <= calls; call++) {
    const asked = size.blocks
    if (asked <= limit) size = afterAnsweredRange(size, asked)
    else {
      const next = afterRefusedRange(size, asked, { kind: 'blocks', max: tellsLimit ? limit : null })
      expect(next.blocks).toBeLessThan(asked)
      size = next
      refusals++
      lastRefusalAt = call
    }
  }
  return { size, refusals, lastRefusalAt }
}

describe('the size of a range', () => {
  it('is the limit that a provider states, after one refusal', () => {
    expect(converse(2_000, true, 50)).toEqual({ size: { blocks: 2_000, worked: 2_000, refused: 2_001 }, refusals: 1, lastRefusalAt: 1 })
  })

  it('comes within an eighth of a limit that is not stated, and then is refused no more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX_RANGE_BLOCKS - 1 }), limit => {
        const { size, refusals, lastRefusalAt } = converse(limit, false, 200)
        expect(size.blocks).toBeLessThanOrEqual(limit)
        expect(size.blocks).toBeGreaterThanOrEqual(Math.max(1, Math.floor(limit * 0.85) - 1))
        expect(refusals).toBeLessThan(30)
        expect(lastRefusalAt).toBeLessThan(100)
      }),
    )
  })

  it('shrinks with a refusal for what the blocks hold, and grows again when they hold less', () => {
    let size = afterRefusedRange(UNLIMITED_RANGE, 8_000, { kind: 'density' })
    expect(size.blocks).toBe(4_000)
    size = afterAnsweredRange(size, 4_000)
    expect(size.blocks).toBe(6_000)
  })

  it('does not grow past the stated limit after a refusal for what the blocks hold', () => {
    let size = afterRefusedRange(UNLIMITED_RANGE, 50_000, { kind: 'blocks', max: 1_000 })
    size = afterRefusedRange(size, 1_000, { kind: 'density' })
    for (let call = 0; call < 20; call++) size = afterAnsweredRange(size, size.blocks)
    expect(size.blocks).toBe(1_000)
  })

  it('takes a suggestion only when it is smaller', () => {
    expect(afterRefusedRange(UNLIMITED_RANGE, 1_000, { kind: 'suggested', from: 10, to: 109 }).blocks).toBe(100)
    expect(afterRefusedRange(UNLIMITED_RANGE, 1_000, { kind: 'suggested', from: 10, to: 5_000 }).blocks).toBe(500)
    expect(afterRefusedRange(UNLIMITED_RANGE, 1_000, { kind: 'suggested', from: 10, to: 1 }).blocks).toBe(500)
  })

  it('learns nothing of the next size from a smaller query', () => {
    const size = afterRefusedRange(UNLIMITED_RANGE, 8_000, { kind: 'density' })
    expect(afterAnsweredRange(size, 17).blocks).toBe(4_000)
  })

  it('is halved when a stated limit was kept and is refused all the same', () => {
    const size = afterRefusedRange(UNLIMITED_RANGE, 5_000, { kind: 'blocks', max: 2_000 })
    expect(afterRefusedRange(size, 2_000, { kind: 'blocks', max: 2_000 }).blocks).toBe(1_000)
  })
})
