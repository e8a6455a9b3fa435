import { signal } from '@preact/signals'
import { describe, expect, test } from 'vitest'
import type { CandlesState, Live } from '#client/live/liveTypes.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { createCandleFeed, newestFilled } from '#console/state/candles.ts'
import { axisLabels } from '#console/token/axisLabels.ts'
import type { Bar } from '#console/token/bar.ts'
import { chartTimeOf } from '#console/token/chartTime.ts'
import { intervalOfAge } from '#console/token/intervals.ts'
import type { Candle } from '#resources/candles.ts'
import { addressOf } from '#test/support/snapshots.ts'

describe('the labels of a price axis', () => {
  test.each([
    [[-0.00002, 1e-21, 0.00002, 0.00004], 'price', ['', '0', '0.0₄2', '0.0₄4']],
    // The labels had three forms side by side: 0.0₄5000, 0.0001000 and 0.0001500.
    [[0, 0.00005, 0.0001, 0.00015], 'price', ['0', '0.00005', '0.00010', '0.00015']],
    [[0.000_005, 0.000_01, 0.000_015], 'price', ['0.0₄05', '0.0₄10', '0.0₄15']],
    [[5e-37, 1e-36, 1.5e-36], 'price', ['0.0₃₅05', '0.0₃₅10', '0.0₃₅15']],
    [[1e-9, 1e-6, 0.001, 1], 'price', ['0.0₈1000', '0.0₅1000', '0.001000', '1.000']],
    [[0.25, 0.5, 0.75], 'price', ['0.25', '0.50', '0.75']],
    [[999_999, 1_000_000, 1_000_001], 'price', ['999,999.00', '1.000000M', '1.000001M']],
    [[1e36, 2e36], 'price', ['1,000,000,000,000,000,000,000Q', '2,000,000,000,000,000,000,000Q']],
    [[0.000075861, 0.000075862, 0.000075863], 'price', ['0.0₄75861', '0.0₄75862', '0.0₄75863']],
    [[24_510, 24_520, 24_530], 'marketCap', ['24.51K', '24.52K', '24.53K']],
    [[3_125, 6_250, 100_000, 200_000], 'marketCap', ['3.13K', '6.25K', '100K', '200K']],
    [[0.5], 'price', ['0.5000']],
    [[1e-15, 2e-15], 'marketCap', ['0.0₁₄1', '0.0₁₄2']],
    [[], 'price', []],
  ] as const)('%j as %s', (values, measure, labels) => {
    expect(axisLabels(values, measure)).toEqual(labels)
  })
})

const candle = (time: number, close: number, volume = '1'): Candle => ({
  time,
  open: String(close - 1),
  high: String(close + 2),
  low: String(close - 2),
  close: String(close),
  volume,
  trades: 1,
})

describe('the bars of candles', () => {
  const MINUTE = 60

  test('are one for every interval, also before the first candle of the time that is shown', () => {
    const filled = newestFilled([candle(0, 5), candle(600, 7), candle(660, 8), candle(780, 9)], '1m', 4, 0)
    expect(filled.map(({ time, close, volume }) => [time, close, volume])).toEqual([
      [600, '7', '1'],
      [660, '8', '1'],
      [720, '8', '0'],
      [780, '9', '1'],
    ])
    // The candle of long ago carries to the begin, and not further.
    expect(newestFilled([candle(0, 5), candle(60_000_000, 6)], '1m', 3, 0).map(({ time, close }) => [time, close])).toEqual([
      [60_000_000 - 2 * MINUTE, '5'],
      [60_000_000 - MINUTE, '5'],
      [60_000_000, '6'],
    ])
    expect(newestFilled([], '1m', 3, 600)).toEqual([])
    expect(newestFilled([candle(60, 1)], '1m', 3, 0)).toHaveLength(1)
    // A quiet token's reach the present, also when its last trade was before the time that is shown.
    expect(newestFilled([candle(60, 1), candle(120, 2)], '1m', 10, 299).map(({ time, close }) => [time, close])).toEqual([
      [60, '1'],
      [120, '2'],
      [180, '2'],
      [240, '2'],
    ])
    expect(newestFilled([candle(60, 1), candle(120, 2)], '1m', 3, 6_000).map(({ time, close }) => [time, close])).toEqual([
      [5_880, '2'],
      [5_940, '2'],
      [6_000, '2'],
    ])
  })

  function start(older: readonly Candle[] = []) {
    const drawn: string[] = []
    let bars: readonly Bar[] = []
    const asked: object[] = []
    const until = signal<number | null>(null)
    const present = signal<number | null>(null)
    const faults = { answer: null as string | null }
    let failure: string | null = null
    let tell: (state: CandlesState) => void = () => {}
    let options: { readonly onError?: (error: unknown) => void; readonly onEnd?: (error: unknown) => void } = {}
    const client = {
      candles: async (_: string, query: object) => {
        asked.push(query)
        if (faults.answer !== null) return { ok: false, error: new Error(faults.answer) }
        return { ok: true, value: { data: older, nextCursor: null } }
      },
    }
    const live = {
      candles(_: object, listener: typeof tell, given: typeof options) {
        tell = listener
        options = given
      },
    }
    const feed = createCandleFeed({
      client: client as unknown as Tokenwire,
      live: live as unknown as Live,
      address: addressOf(1),
      interval: '1m',
      currency: 'weth',
      until,
      present,
      sink: {
        replace: next => {
          bars = next
          drawn.push(`replace ${next.length}`)
        },
        update: bar => {
          bars = bars.at(-1)?.time === bar.time ? [...bars.slice(0, -1), bar] : [...bars, bar]
          drawn.push(`update ${bar.time} ${bar.close}`)
        },
        onFailure: text => {
          failure = text
        },
      },
    })
    return {
      feed,
      drawn,
      asked,
      until,
      present,
      faults,
      closes: () => bars.map(({ time, close }) => [time, close]),
      tell: (state: CandlesState) => tell(state),
      options: () => options,
      failure: () => failure,
    }
  }

  test('change at their end with what is new, and as a whole after a reorg', () => {
    const { drawn, tell, closes } = start()
    tell({ candles: [candle(60, 1), candle(120, 2)], changedFrom: 0 })
    tell({ candles: [candle(60, 1), candle(120, 3)], changedFrom: 120 })
    tell({ candles: [candle(60, 1), candle(120, 3), candle(240, 4)], changedFrom: 240 })
    expect(drawn).toEqual(['replace 2', 'update 120 3', 'update 120 3', 'update 180 3', 'update 240 4'])
    tell({ candles: [candle(60, 1), candle(120, 9)], changedFrom: 120 })
    expect(drawn.at(-1)).toBe('replace 2')
    expect(closes()).toEqual([
      [60, 1],
      [120, 9],
    ])
  })

  test('reach the present while nothing is traded, and stay there while the present is not known', () => {
    const { feed, drawn, tell, closes, until } = start()
    until.value = 130
    tell({ candles: [candle(60, 1)], changedFrom: 0 })
    expect(drawn).toEqual(['replace 2'])
    until.value = 241
    expect(drawn.slice(1)).toEqual(['update 120 1', 'update 180 1', 'update 240 1'])
    until.value = null
    tell({ candles: [candle(60, 1)], changedFrom: Number.POSITIVE_INFINITY })
    // It was traded before the newest bar.
    tell({ candles: [candle(60, 1), candle(180, 4)], changedFrom: 180 })
    expect(closes()).toEqual([
      [60, 1],
      [120, 1],
      [180, 4],
      [240, 4],
    ])
    feed.stop()
    until.value = 600
    expect(closes()).toHaveLength(4)
  })

  // The header followed the price of ETH, and the chart in dollars ended at the last trade's: two values of one price on a page.
  test('end at the present price, which moves between trades', () => {
    const { feed, drawn, tell, closes, until, present } = start()
    present.value = 1.5
    until.value = 120
    tell({ candles: [candle(60, 1)], changedFrom: 0 })
    expect(closes()).toEqual([
      [60, 1],
      [120, 1.5],
    ])
    present.value = 1.4
    expect(drawn.slice(1)).toEqual(['update 120 1.4'])
    until.value = 180
    // The minute before has ended: without a trade in it, at the price of the last one.
    expect(closes()).toEqual([
      [60, 1],
      [120, 1],
      [180, 1.4],
    ])
    present.value = null
    expect(closes().at(-1)).toEqual([180, 1])
    feed.stop()
  })

  test('say what could not be read, until it is', async () => {
    const { feed, tell, options, failure, faults } = start()
    options().onError?.(new Error('no answer arrived'))
    expect(failure()).toBe('No candles: no answer arrived')
    tell({ candles: [candle(60, 1)], changedFrom: 0 })
    expect(failure()).toBeNull()
    options().onError?.(new Error('no answer arrived'))
    expect(failure()).toBe('The candles are not current: no answer arrived')
    tell({ candles: [candle(60, 1)], changedFrom: Number.POSITIVE_INFINITY })
    faults.answer = 'the server answered 500'
    feed.loadOlder()
    await expect.poll(failure).toBe('Older candles could not be loaded: the server answered 500')
    faults.answer = null
    feed.loadOlder()
    await expect.poll(failure).toBeNull()
    options().onEnd?.(new Error('invalid_message: of is wrong'))
    expect(failure()).toBe('The candles are not current: invalid_message: of is wrong')
  })

  test('are not asked for again where there are no older ones', async () => {
    const { feed, asked, tell } = start()
    tell({ candles: [candle(60, 1)], changedFrom: 0 })
    feed.loadOlder()
    await new Promise(setImmediate)
    tell({ candles: [candle(60, 1), candle(120, 2)], changedFrom: 120 })
    feed.loadOlder()
    await new Promise(setImmediate)
    expect(asked).toHaveLength(1)
    // After a pause over which nothing is drawn, those before it are older.
    tell({ candles: [candle(60_000_000, 3)], changedFrom: 0 })
    feed.loadOlder()
    await new Promise(setImmediate)
    expect(asked).toHaveLength(2)
  })

  test('keep older ones that were loaded while the newest move on', async () => {
    const older = Array.from({ length: 300 }, (_, index) => candle(60_000 + index * MINUTE, 5))
    const { feed, asked, tell, closes, drawn } = start(older)
    const newest = [candle(78_000, 6), candle(78_060, 7)]
    tell({ candles: newest, changedFrom: 0 })
    feed.loadOlder()
    await expect.poll(() => drawn.at(-1)).toBe('replace 302')
    expect(asked).toEqual([{ interval: '1m', currency: 'weth', fill: true, limit: 300, to: 77_999 }])
    tell({ candles: [...newest, candle(78_120, 8)], changedFrom: 78_120 })
    expect(closes()).toHaveLength(303)
    expect(closes().at(0)).toEqual([60_000, 5])
    // After a pause that the newest candles do not reach back over, nothing is drawn beside a hole.
    tell({ candles: [candle(60_000_000, 9)], changedFrom: 0 })
    expect(closes()).toEqual([[60_000_000, 9]])
  })
})

test.each([
  [60, '1s'],
  [2_250, '15s'],
  [2_251, '1m'],
  [9_000, '1m'],
  [9_001, '5m'],
  [86_400, '15m'],
  [30 * 86_400, '1d'],
  [3_650 * 86_400, '1d'],
])('the chart of a token that is %i s old begins with candles of %s', (seconds, interval) => {
  const now = Date.UTC(2026, 0, 2)
  expect(intervalOfAge(new Date(now - seconds * 1_000).toISOString(), now)).toBe(interval)
})

test('the time axis has ticks at local midnights and the zone, but days of UTC', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4) / 1_000
  const local = chartTimeOf('5m', at * 1_000)
  expect(local.shift).toBe(-new Date(at * 1_000).getTimezoneOffset() * 60)
  const clock = new Date(at * 1_000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  expect(local.tick(at + local.shift, 'time')).toBe(clock)
  const days = chartTimeOf('1d', at * 1_000)
  expect([days.shift, days.zone, days.tick(at, 'day')]).toEqual([0, 'UTC', '2 Jan'])
  expect(chartTimeOf('1w', at * 1_000).zone).toBe('UTC')
  expect(chartTimeOf('1s', at * 1_000).tick(at + 7 + local.shift, 'time')).toBe(`${clock}:07`)
})
