import { beforeEach, expect, test } from 'vitest'
import type { Candle } from '#resources/candles.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

const START = 1_795_000_020

/** Minutes 0, 1 and 4. */
const CANDLES: readonly Candle[] = [0, 1, 4].map(minute => ({
  time: START + 60 * minute,
  open: '1',
  high: '3',
  low: '0.5',
  close: `2.${minute}`,
  volume: '10',
  trades: 3,
}))

function list(query: string) {
  return gateway.list<Candle>(`/api/tokens/${TOKEN}/candles?${query}`)
}

const gateway = await startGateway()
beforeEach(() => {
  gateway.reads.stored.candles = new Map([[TOKEN, [...CANDLES]]])
  gateway.reads.before = async () => {}
})

test('gives one-minute candles in WETH without empty intervals by default', async () => {
  expect(await list('')).toEqual({ data: CANDLES, nextCursor: null, asOfBlock: '456' })
})

test('carries the last close through empty intervals with fill=true', async () => {
  const { data } = await list('fill=true')
  expect(data.map(candle => [candle.time - START, candle.open, candle.trades])).toEqual([
    [0, '1', 3],
    [60, '1', 3],
    [120, '2.1', 0],
    [180, '2.1', 0],
    [240, '1', 3],
  ])
})

test('asks storage for the interval, currency and times that were asked for', async () => {
  const asked: unknown[] = []
  gateway.reads.before = async query => void asked.push(query)
  await list(`interval=4h&of=marketCap&currency=usd&from=${START}&to=${START}&fill=false&limit=1500`)
  await list('')
  expect(asked).toEqual([
    { address: TOKEN, interval: '4h', of: 'marketCap', currency: 'usd', from: START, to: START, fill: false, limit: 1_500 },
    { address: TOKEN, interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 300 },
  ])
})

test('pages by cursor to older candles within the same times', async () => {
  const first = await list(`from=${START}&limit=2`)
  const second = await list(`from=${START}&limit=2&cursor=${first.nextCursor}`)
  expect([...second.data, ...first.data]).toEqual(CANDLES)
  await expectProblem(
    await gateway.get(`/api/tokens/${TOKEN}/candles?from=${START}&fill=true&cursor=${first.nextCursor}`),
    400,
    'invalid_parameter',
  )
})

test('gives candles of several tokens at once, without those that are not indexed', async () => {
  gateway.reads.stored.candles = new Map()
  const response = await gateway.get(`/api/candles?tokens=${TOKEN}&tokens=${NOT_INDEXED}&interval=5m&limit=3`)
  expect(await response.json()).toEqual({ data: [{ token: TOKEN, candles: [] }], nextCursor: null, asOfBlock: '456' })
  const lines = await gateway.get(`/api/sparklines?tokens=${TOKEN},${NOT_INDEXED}`)
  expect(await lines.json()).toEqual({ data: [{ token: TOKEN, times: [], prices: [] }], nextCursor: null, asOfBlock: '456' })
  const many = Array.from({ length: 51 }, (_, n) => addressOf(n)).join(',')
  expect(await expectProblem(await gateway.get(`/api/candles?tokens=${many}`), 400, 'invalid_parameter')).toMatch(/^tokens must be 1 to 50/)
  expect(await expectProblem(await gateway.get('/api/sparklines'), 400, 'invalid_parameter')).toMatch(/^tokens is required/)
})

test.for([
  ['interval=2m', 'interval must be one of 1s, 5s, 15s, 30s, 1m, 5m, 15m, 30m, 1h, 4h, 12h, 1d, 1w, got "2m"'],
  ['currency=eur', 'currency must be one of weth, usd, quote, got "eur"'],
  ['fill=yes', 'fill must be true or false, got "yes"'],
  ['limit=1501', 'limit must be an integer from 1 to 1500, got "1501"'],
  ['from=1795000020000', 'from must be an integer from 0 to 253402300799 (Unix seconds), got "1795000020000"'],
  ['to=2026-01-01', 'to must be an integer from 0 to 253402300799 (Unix seconds), got "2026-01-01"'],
  ['from=2&to=1', 'from must not be after to, got 2 and 1'],
] as const)('refuses ?%s', async ([query, detail]) => {
  expect(await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/candles?${query}`), 400, 'invalid_parameter')).toBe(detail)
})
