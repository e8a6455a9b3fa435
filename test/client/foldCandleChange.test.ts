import { expect, it } from 'vitest'
import { fillCandles, foldCandleChange } from '#client/live/foldCandleChange.ts'
import type { Candle } from '#resources/candles.ts'

const candle = (time: number, close: string): Candle => ({ time, open: '1', high: '1', low: '1', close, volume: '1', trades: 1 })

it('folds the candles of a change onto those before it, and keeps the newest', () => {
  const held = [candle(60, '1'), candle(120, '2'), candle(180, '3')]
  const folded = foldCandleChange(held, { from: 120, data: [candle(120, '4')] })
  expect(folded.map(({ time, close }) => [time, close])).toEqual([
    [60, '1'],
    [120, '4'],
  ])
  expect(foldCandleChange(held, { from: 240, data: [candle(240, '5')] }, 2).map(({ time }) => time)).toEqual([180, 240])
  expect(foldCandleChange(held, { from: 0, data: [] })).toEqual([])
})

it('fills intervals without a trade with the close before them', () => {
  const filled = fillCandles([candle(60, '1'), candle(240, '2')], '1m', 300)
  expect(filled.map(({ time, close, trades }) => [time, close, trades])).toEqual([
    [60, '1', 1],
    [120, '1', 0],
    [180, '1', 0],
    [240, '2', 1],
    [300, '2', 0],
  ])
  expect(fillCandles([], '1h')).toEqual([])
})
