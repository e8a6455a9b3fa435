import { expect, it } from 'vitest'
import { closingAtPresent, type StoredCandle } from '#store/reads/candles.ts'

const candle = (time: number, [open, high, low, close]: readonly string[]): StoredCandle => ({
  time,
  open: open ?? '',
  high: high ?? '',
  low: low ?? '',
  close: close ?? '',
  volume: '7',
  trades: 2,
  isPresent: false,
})
const present = (time: number, price: string): StoredCandle => ({
  ...candle(time, [price, price, price, price]),
  volume: '0',
  trades: 0,
  isPresent: true,
})
const EARLIER = candle(60, ['1', '3', '1', '2.00'])

it.each([
  ['in a candle of its own, which opens at the close before', [present(180, '2.5'), EARLIER], [180, '2.00', '2.5', '2.00', '2.5', '0']],
  ['in the candle of its interval', [present(60, '2.5'), EARLIER], [60, '1', '3', '1', '2.5', '7']],
  ['above all earlier prices', [present(60, '10'), EARLIER], [60, '1', '10', '1', '10', '7']],
  ['below all earlier prices', [present(60, '0.5'), EARLIER], [60, '1', '3', '0.5', '0.5', '7']],
  ['nowhere where it is that of the last candle', [EARLIER], [60, '1', '3', '1', '2.00', '7']],
])('ends with the present price %s', (_, rows, [time, open, high, low, close, volume]) => {
  const candles = closingAtPresent(rows)
  expect(candles[0]).toMatchObject({ time, open, high, low, close, volume, isPresent: false })
  expect(candles.at(-1)).toMatchObject({ time: 60 })
})

it('leaves out a present price that has no candle before it', () => {
  expect(closingAtPresent([present(60, '1')])).toEqual([])
  expect(closingAtPresent([])).toEqual([])
})
