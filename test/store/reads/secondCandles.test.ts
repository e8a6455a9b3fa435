import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { CANDLE_INTERVALS, type CandleInterval, candleStart } from '#domain/candle.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import { readCandleSeries } from '#store/reads/candleSeries.ts'
import { readCandles } from '#store/reads/candles.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()
const TOKEN = addressOf(1)
const NOW = 1_700_086_400
const DAY = 86_400
const DOLLAR = addressOf(0xd0)
const SECONDS = ['1s', '5s', '15s', '30s'] as const
const base = { address: TOKEN, interval: '1s', of: 'price', currency: 'weth', fill: false, limit: 300 } as const

/** A trade some seconds before the newest block. */
interface Traded {
  readonly ago: number
  readonly price: number
}

async function readAll(query: CandlesQuery): Promise<readonly Candle[]> {
  const pages: (readonly Candle[])[] = []
  for (let cursor: CandleCursor | undefined; ; ) {
    const page = await readCandles(kysely, { ...query, ...(cursor && { cursor }) })
    if (page === null) throw new Error('the token is not indexed')
    expect(page.data.length).toBeLessThanOrEqual(query.limit)
    pages.unshift(page.data)
    if (page.next === null) return pages.flat()
    cursor = page.next
  }
}

/** As the API fills gaps. */
function filled(candles: readonly Candle[], step: number): readonly Candle[] {
  return candles.flatMap((candle, index) => {
    const end = candles[index + 1]?.time ?? NOW + 1
    const { close } = candle
    const gap = Array.from(
      { length: Math.max(0, Math.ceil((end - candle.time) / step) - 1) },
      (_, number) => candle.time + (number + 1) * step,
    )
    return [candle, ...gap.map(time => ({ time, open: close, high: close, low: close, close, volume: '0', trades: 0 }))]
  })
}

describe('candles of seconds', () => {
  test('are the same as a walk over every trade of a day, in pages of any size', async () => {
    const trade = fc.record({ ago: fc.oneof(fc.nat(40), fc.nat(600), fc.nat(DAY + 600)), price: fc.integer({ min: 1, max: 20 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(trade, { maxLength: 60 }),
        fc.constantFrom(...SECONDS),
        fc.constantFrom(3, 50, 1_500),
        async (given, interval, limit) => {
          // The order of trades of the same second is not the subject.
          const trades = [...new Map(given.map(one => [one.ago, one])).values()]
          await store(trades)
          expect(await readAll({ ...base, interval, limit })).toEqual(candlesOf(trades, interval))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('carry the close from before the range when filled, up to the newest block', async () => {
    const trades = [
      { ago: 90, price: 3 },
      { ago: 70, price: 5 },
      { ago: 9, price: 4 },
    ]
    await store(trades)
    for (const interval of SECONDS) {
      const all = filled(candlesOf(trades, interval), CANDLE_INTERVALS[interval])
      const from = candleStart(NOW - 60, interval)
      const page = await readCandles(kysely, { ...base, interval, fill: true, from })
      expect(page?.data).toEqual(all.filter(({ time }) => time >= from))
      expect(await readAll({ ...base, interval, fill: true, limit: 20 })).toEqual(all)
    }
  })

  test('of a crowded time come in pages of a bounded number of trades, none of them cut', async () => {
    const trades = Array.from({ length: 5_000 }, (_, index) => ({ ago: 5_000 - index, price: 1 + (index % 9) }))
    await store(trades)
    const first = await readCandles(kysely, { ...base, interval: '30s', limit: 1_500 })
    expect(first?.next).not.toBeNull()
    expect(first?.data.length).toBeLessThan(70)
    expect(await readAll({ ...base, interval: '30s', limit: 1_500 })).toEqual(candlesOf(trades, '30s'))
    const { data } = await readCandleSeries(kysely, { ...base, tokens: [TOKEN], interval: '30s' })
    expect(data[0]?.candles).toEqual(first?.data)
    // Tokens of one answer share the number.
    const { data: ofTwo } = await readCandleSeries(kysely, { ...base, tokens: [TOKEN, addressOf(2)], interval: '30s' })
    const shared = ofTwo[0]?.candles ?? []
    expect(shared).toEqual(first?.data.slice(-shared.length))
    const counted = shared.reduce((sum, candle) => sum + candle.trades, 0)
    expect([counted > 900, counted <= 1_000]).toEqual([true, true])
    const inOneSecond = trades.map(({ price }) => ({ ago: 4, price }))
    await store(inOneSecond)
    expect((await readAll(base)).map(({ trades: count }) => count)).toEqual([5_000])
  })

  test('say from when on they are kept, and count what is older for the opening price alone', async () => {
    await store([
      { ago: DAY + 9, price: 3 },
      { ago: 20, price: 5 },
    ])
    expect((await readCandles(kysely, base))?.data).toEqual([
      { time: NOW - 20, open: '3', high: '5', low: '3', close: '5', volume: '1', trades: 1 },
    ])
    const old = await readCandles(kysely, { ...base, to: NOW - DAY - 5 })
    expect(old).toMatchObject({ data: [], notKept: expect.stringContaining(`candles of seconds are kept from ${NOW - DAY} on`) })
  })

  test('are in USD by the rate at each trade, and by a peg where the currency has one', async () => {
    await store(
      [
        { ago: 8, price: 2 },
        { ago: 3, price: 4 },
      ],
      { eth_usd: '3000.3333333333333333' },
    )
    expect((await readCandles(kysely, { ...base, currency: 'usd' }))?.data).toEqual([
      {
        time: NOW - 8,
        open: '21002.333333333333333',
        high: '21002.333333333333333',
        low: '6000.6666666666666666',
        close: '6000.6666666666666666',
        volume: '3000.3333333333333333',
        trades: 1,
      },
      {
        time: NOW - 3,
        open: '6000.6666666666666666',
        high: '12001.333333333333333',
        low: '6000.6666666666666666',
        close: '12001.333333333333333',
        volume: '3000.3333333333333333',
        trades: 1,
      },
    ])
    const pegged = {
      pool_price: '0.00000000000125',
      amount_quote: '2500000',
      value_usd: '2.5',
      price_usd: '1.2',
      pool: wordOf(7),
      phase: 'pool',
    }
    await store([{ ago: 8, price: 2 }], pegged)
    const inDollars = { open: '1.25', high: '1.25', low: '1.25', close: '1.25', volume: '2.5', trades: 1 }
    expect((await readCandles(kysely, { ...base, currency: 'usd' }))?.data).toEqual([{ time: NOW - 8, ...inDollars }])
    expect((await readCandles(kysely, { ...base, currency: 'quote' }))?.data).toEqual([{ time: NOW - 8, ...inDollars }])
    await store([{ ago: 8, price: 2 }], { ...pegged, pool: wordOf(8) })
    expect((await readCandles(kysely, { ...base, currency: 'quote' }))?.data).toEqual([])
  })
})

describe('candles of half an hour, half a day and a week', () => {
  const WEEKS = { '30m': '15m', '12h': '4h', '1w': '1d' } as const

  beforeEach(async () => store([]))

  test('are those of the shorter interval put together, in pages of any size', async () => {
    for (const interval of ['30m', '12h', '1w'] as const) {
      const step = CANDLE_INTERVALS[WEEKS[interval]]
      const times = [0, 1, 2, 5, 6, 9, 10, 11, 12, 13, 14, 20].map(ago => candleStart(NOW, WEEKS[interval]) - ago * step).toReversed()
      await store([])
      await insertRows(
        kysely,
        'candle',
        times.map((time, index) => ({
          token: TOKEN,
          interval_seconds: step,
          time,
          open: String(10 + index),
          high: String(20 - (index % 5)),
          low: String(1 + (index % 3)),
          close: String(11 + index),
          volume_wei: '1000000000000000000',
          trades: 2,
          trades_usd: 0,
        })),
      )
      const shorter = await readAll({ ...base, interval: WEEKS[interval] })
      const groups = [...Map.groupBy(shorter, ({ time }) => candleStart(time, interval))]
      const expected = groups.map(([time, parts]) => ({
        time,
        open: parts[0]?.open,
        high: String(Math.max(...parts.map(({ high }) => Number(high)))),
        low: String(Math.min(...parts.map(({ low }) => Number(low)))),
        close: parts.at(-1)?.close,
        volume: String(parts.length),
        trades: 2 * parts.length,
      }))
      for (const limit of [1, 2, 300]) expect(await readAll({ ...base, interval, limit })).toEqual(expected)
      const [first] = expected
      expect((await readAll({ ...base, interval, fill: true })).filter(({ trades }) => trades > 0)).toEqual(expected)
      expect((await readCandles(kysely, { ...base, interval, to: (first?.time ?? 0) + 1 }))?.data).toEqual([first])
    }
  })

  test('of a week start on Monday', () => {
    expect(new Date(candleStart(Date.parse('2026-11-26T12:00:00Z') / 1_000, '1w') * 1_000).toISOString()).toBe('2026-11-23T00:00:00.000Z')
    expect(new Date(candleStart(Date.parse('2026-11-23T00:00:00Z') / 1_000, '1w') * 1_000).toISOString()).toBe('2026-11-23T00:00:00.000Z')
  })
})

async function store(trades: readonly Traded[], columns: Row = {}, token: Row = {}): Promise<void> {
  await clear()
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NOW })])
  await insertRows(kysely, 'token', [tokenRow(1, { first_price_weth: '7', main_pool: wordOf(7), ...token })])
  await insertRows(kysely, 'pool', [poolRow(7, 1, { quote_token: DOLLAR })])
  await insertRows(kysely, 'currency', [{ address: DOLLAR, symbol: 'USDX', decimals: 6, is_read: true }])
  const rows = trades.toSorted((a, b) => b.ago - a.ago)
  await insertRows(
    kysely,
    'trade',
    rows.map(({ ago, price }, index) =>
      tradeRow(TOKEN, 1 + index, 0, {
        timestamp: NOW - ago,
        price_after_weth: String(price),
        amount_wei: '1000000000000000000',
        ...columns,
      }),
    ),
  )
}

/** The candles of trades, one trade after the other. */
function candlesOf(trades: readonly Traded[], interval: CandleInterval): readonly Candle[] {
  const candles = new Map<number, { open: number; high: number; low: number; close: number; trades: number }>()
  let close = 7
  for (const { ago, price } of trades.toSorted((a, b) => b.ago - a.ago)) {
    const time = candleStart(NOW - ago, interval)
    const candle = candles.get(time) ?? { open: close, high: close, low: close, close, trades: 0 }
    close = price
    candles.set(time, { ...candle, high: Math.max(candle.high, price), low: Math.min(candle.low, price), close, trades: candle.trades + 1 })
  }
  const from = candleStart(NOW - DAY, interval)
  return [...candles]
    .filter(([time]) => time >= from)
    .map(([time, { open, high, low, trades: count, ...last }]) => {
      return {
        time,
        open: String(open),
        high: String(high),
        low: String(low),
        close: String(last.close),
        volume: String(count),
        trades: count,
      }
    })
}
