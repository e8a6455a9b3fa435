import { describe, expect, it } from 'vitest'
import { median, medianInterval, quantile } from '#benchmarks/harness/quantile.ts'
import { formatMs, textTable } from '#benchmarks/harness/textTable.ts'

describe('the statistics of benchmarks', () => {
  it('take a quantile by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
    expect([0, 0.5, 0.99, 0.999, 1].map(share => quantile(hundred, share))).toEqual([1, 50, 99, 100, 100])
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })

  it('take the median of an odd and an even number of values', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([9, 1, 5, 6])).toBe(5.5)
    expect(() => median([])).toThrow(RangeError)
  })

  it('give the interval of a median, narrower with more values', () => {
    expect(medianInterval([3, 1, 2])).toEqual({ low: 1, high: 3 })
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    // The 95 % ranks of the binomial distribution for 100 values, from a table.
    expect(medianInterval(hundred)).toEqual({ low: 40, high: 61 })
  })

  it('say a duration in the unit that fits', () => {
    expect([0.000_25, 0.0141, 2.5, 1_500].map(formatMs)).toEqual(['250 ns', '14.1 µs', '2.50 ms', '1500 ms'])
  })

  it('line columns up', () => {
    expect(textTable(['', 'p50'], [['a task', '1 ms']])).toBe('         p50\n──────  ────\na task  1 ms')
  })
})
