import { describe, expect, test } from 'vitest'
import { axisLabels } from '#console/token/axisLabels.ts'
import { type Bar, foldTrade } from '#console/token/candleFold.ts'
import { chartTimeOf } from '#console/token/chartTime.ts'
import { addressOf, tradeOf } from '#test/support/snapshots.ts'

describe('the labels of a price axis', () => {
  test.each([
    [[-0.00002, 1e-21, 0.00002, 0.00004], 'price', ['', '0', '0.0₄2000', '0.0₄4000']],
    [[0.000075861, 0.000075862, 0.000075863], 'price', ['0.0₄75861', '0.0₄75862', '0.0₄75863']],
    [[24_510, 24_520, 24_530], 'marketCap', ['24.51K', '24.52K', '24.53K']],
    [[3_125, 6_250, 100_000, 200_000], 'marketCap', ['3.13K', '6.25K', '100K', '200K']],
    [[0.5], 'price', ['0.5000']],
    [[], 'price', []],
  ] as const)('%j as %s', (values, measure, labels) => {
    expect(axisLabels(values, measure)).toEqual(labels)
  })
})

describe('a trade after the newest bar', () => {
  const newest: Bar = { time: 1_767_323_040, open: 1, high: 3, low: 1, close: 2, volume: 5 }
  const tradeAt = (seconds: number, price: string) => ({
    ...tradeOf(addressOf(1)),
    timestamp: new Date(seconds * 1_000).toISOString(),
    priceAfterWeth: price,
  })

  test('joins its bar with the newest, with flat bars where nothing was traded', () => {
    const bars = foldTrade(newest, tradeAt(newest.time + 190, '4'), '1m', 'weth')
    const flat = { open: 2, high: 2, low: 2, close: 2, volume: 0 }
    expect(bars).toEqual([
      { time: newest.time + 60, ...flat },
      { time: newest.time + 120, ...flat },
      { time: newest.time + 180, open: 2, high: 4, low: 2, close: 4, volume: 0 },
    ])
  })

  test('changes the newest bar in its interval, and no older one', () => {
    expect(foldTrade(newest, tradeAt(newest.time + 59, '0.5'), '1m', 'weth')).toEqual([{ ...newest, low: 0.5, close: 0.5 }])
    expect(foldTrade(newest, tradeAt(newest.time - 1, '9'), '1m', 'weth')).toEqual([])
  })

  test('after a long pause adds a bounded number of bars', () => {
    const bars = foldTrade(newest, tradeAt(newest.time + 60 * 1_000_000, '4'), '1m', 'weth')
    expect(bars).toHaveLength(500)
    expect(bars.at(-1)?.time).toBe(newest.time + 60 * 1_000_000)
  })
})

test('the time axis has ticks at local midnights and the zone, but days of UTC', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4) / 1_000
  const local = chartTimeOf('5m', at * 1_000)
  expect(local.shift).toBe(-new Date(at * 1_000).getTimezoneOffset() * 60)
  const clock = new Date(at * 1_000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  expect(local.tick(at + local.shift, 'time')).toBe(clock)
  const days = chartTimeOf('1d', at * 1_000)
  expect([days.shift, days.zone, days.tick(at, 'day')]).toEqual([0, 'UTC', '2 Jan'])
})
