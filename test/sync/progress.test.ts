import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextRangeBlocks } from '#sync/backfillSize.ts'
import { type ProgressSamples, progressOf, withSample } from '#sync/progress.ts'

describe('the progress of a backfill', () => {
  it('counts rates over the recent past and what is left at that rate', () => {
    let samples: ProgressSamples = [{ atMs: 0, block: 99, events: 0 }]
    for (let second = 1; second <= 10; second++)
      samples = withSample(samples, { atMs: second * 1_000, block: 99 + second * 50, events: second * 200 })
    expect(progressOf(samples, 0, 1_099)).toEqual({
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
    let samples: ProgressSamples = [{ atMs: 0, block: 0, events: 0 }]
    for (let second = 1; second <= 60; second++) samples = withSample(samples, { atMs: second * 1_000, block: second, events: second })
    for (let second = 61; second <= 100; second++)
      samples = withSample(samples, { atMs: second * 1_000, block: 60 + (second - 60) * 100, events: 60 })
    expect(progressOf(samples, 0, 10_000).blocksPerSecond).toBe(100)
    expect(progressOf(samples, 0, 10_000).eventsPerSecond).toBe(0)
  })

  it('does not know how long it will take before the first commit', () => {
    expect(progressOf([{ atMs: 5, block: 499, events: 0 }], 0, 999)).toMatchObject({ percent: 50, blocksPerSecond: 0, secondsLeft: null })
    expect(progressOf([], 100, 199)).toMatchObject({ percent: 0, currentBlock: '99', secondsLeft: null })
    expect(progressOf([], 0, 9)).toMatchObject({ currentBlock: '0' })
  })

  it('stays within its bounds and keeps a bounded number of samples', () => {
    const sample = fc.record({ wait: fc.nat({ max: 40_000 }), blocks: fc.nat({ max: 10_000 }), events: fc.nat({ max: 10_000 }) })
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 200 }), fc.nat({ max: 1_000_000 }), (steps, target) => {
        let samples: ProgressSamples = []
        let at = { atMs: 0, block: 0, events: 0 }
        for (const { wait, blocks, events } of steps) {
          at = { atMs: at.atMs + wait, block: Math.min(target, at.block + blocks), events: at.events + events }
          samples = withSample(samples, at)
        }
        const { percent, blocksPerSecond, secondsLeft } = progressOf(samples, 0, target)
        expect(samples.length).toBeLessThanOrEqual(64)
        expect(percent).toBeGreaterThanOrEqual(0)
        expect(percent).toBeLessThanOrEqual(100)
        expect(blocksPerSecond).toBeGreaterThanOrEqual(0)
        expect(secondsLeft === null || secondsLeft >= 0).toBe(true)
      }),
    )
  })
})

describe('the size of a range to backfill', () => {
  const bounds = { leastBlocks: 1, mostBlocks: 50_000, targetLogs: 20_000 }
  it('is what would hold the target', () => {
    expect(nextRangeBlocks(1_000, 10_000, bounds)).toBe(2_000)
    expect(nextRangeBlocks(1_000, 100_000, bounds)).toBe(200)
  })

  it('grows fourfold at most', () => {
    expect(nextRangeBlocks(500, 0, bounds)).toBe(2_000)
    expect(nextRangeBlocks(500, 3, bounds)).toBe(2_000)
  })

  it('stays within its bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000 }), fc.nat({ max: 10_000_000 }), (blocks, logs) => {
        const next = nextRangeBlocks(blocks, logs, bounds)
        expect(Number.isSafeInteger(next)).toBe(true)
        expect(next).toBeGreaterThanOrEqual(1)
        expect(next).toBeLessThanOrEqual(50_000)
      }),
    )
  })
})
