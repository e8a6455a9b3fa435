import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterRange, type Backfill, progressOf, startBackfill } from '#sync/health.ts'

describe('the progress of a backfill', () => {
  it('counts rates over the recent past and what is left at that rate', () => {
    let backfill = startBackfill(99, 1_099, 0)
    for (let second = 1; second <= 10; second++) backfill = afterRange(backfill, 99 + second * 50, 200, second * 1_000)
    expect(progressOf(backfill, 0)).toEqual({
      fromBlock: '0',
      toBlock: '1099',
      currentBlock: '599',
      percent: 54.5,
      blocksPerSecond: 50,
      eventsPerSecond: 200,
      secondsLeft: 10,
    })
  })

  it('forgets how slow it was half a minute ago', () => {
    let backfill = startBackfill(0, 10_000, 0)
    for (let second = 1; second <= 60; second++) backfill = afterRange(backfill, second, 1, second * 1_000)
    for (let second = 61; second <= 100; second++) backfill = afterRange(backfill, 60 + (second - 60) * 100, 0, second * 1_000)
    expect(progressOf(backfill, 0)).toMatchObject({ blocksPerSecond: 100, eventsPerSecond: 0 })
  })

  it('does not know how long it will take before the first commit', () => {
    expect(progressOf(startBackfill(499, 999, 5), 0)).toMatchObject({ percent: 50, blocksPerSecond: 0, secondsLeft: null })
    expect(progressOf(startBackfill(99, 199, 5), 100)).toMatchObject({ percent: 0, currentBlock: '99', secondsLeft: null })
    expect(progressOf(startBackfill(-1, 9, 5), 0)).toMatchObject({ currentBlock: '0' })
  })

  it('stays within its bounds and keeps a bounded number of samples', () => {
    const sample = fc.record({ wait: fc.nat({ max: 40_000 }), blocks: fc.nat({ max: 10_000 }), events: fc.nat({ max: 10_000 }) })
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 200 }), fc.nat({ max: 1_000_000 }), (steps, target) => {
        let backfill: Backfill = startBackfill(0, target, 0)
        let [atMs, block] = [0, 0]
        for (const { wait, blocks, events } of steps) {
          atMs += wait
          block = Math.min(target, block + blocks)
          backfill = afterRange(backfill, block, events, atMs)
        }
        const { percent, blocksPerSecond, secondsLeft } = progressOf(backfill, 0)
        expect(backfill.samples.length).toBeLessThanOrEqual(64)
        expect(percent).toBeGreaterThanOrEqual(0)
        expect(percent).toBeLessThanOrEqual(100)
        expect(blocksPerSecond).toBeGreaterThanOrEqual(0)
        expect(secondsLeft === null || secondsLeft >= 0).toBe(true)
      }),
    )
  })
})
