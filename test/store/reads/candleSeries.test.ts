import { beforeEach, describe, expect, test } from 'vitest'
import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import { readCandleSeries, readSparklines } from '#store/reads/candleSeries.ts'
import { readCandles } from '#store/reads/candles.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow, wordOf } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()
const QUOTE = addressOf(0x99)
/** A full hour. */
const NOW = 1_700_085_600
const HOUR = 3_600

beforeEach(async () => {
  await clear()
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NOW + 600 })])
})

function candleRow(token: number, interval: CandleInterval, ago: number, close: number, more: Row = {}): Row {
  const step = CANDLE_INTERVALS[interval]
  return {
    token: addressOf(token),
    interval_seconds: step,
    time: NOW - ago * step,
    ...Object.fromEntries(['open', 'high', 'low', 'close'].map(name => [name, String(close)])),
    volume_wei: '1000000000000000000',
    trades: 1,
    trades_usd: 0,
    ...more,
  }
}

describe('candles of several tokens', () => {
  test('are those of each token by itself, in every currency, also where a quote currency has moved', async () => {
    const inUsd = Object.fromEntries(['open_usd', 'high_usd', 'low_usd', 'close_usd', 'volume_usd'].map(name => [name, '3']))
    await insertRows(kysely, 'token', [
      tokenRow(1, { main_pool: wordOf(1) }),
      tokenRow(2, { main_pool: wordOf(2), quote_token: QUOTE, price_weth: '9', event_price_weth: '5' }),
      tokenRow(3),
    ])
    await insertRows(kysely, 'pool', [poolRow(1, 1, { quote_token: QUOTE }), poolRow(2, 2, { quote_token: QUOTE })])
    await insertRows(kysely, 'currency', [{ address: QUOTE, symbol: 'Q', decimals: 6, is_read: true }])
    await insertRows(
      kysely,
      'candle',
      [1, 2].flatMap(token => [0, 1, 2, 5].map(ago => candleRow(token, '1h', ago, token * 10 + ago, ago % 2 === 0 ? inUsd : {}))),
    )
    const tokens = [2, 4, 1, 3].map(addressOf)
    for (const currency of ['weth', 'usd', 'quote'] as const) {
      for (const of of ['price', 'marketCap'] as const) {
        for (const more of [{ limit: 10 }, { limit: 2 }, { limit: 10, from: NOW - HOUR }]) {
          const query = { interval: '1h', of, currency, ...more } as const
          const { data, asOfBlock } = await readCandleSeries(kysely, { tokens, ...query })
          const alone = await Promise.all(tokens.map(async address => readCandles(kysely, { address, ...query, fill: false })))
          const indexed = tokens.filter(token => token !== addressOf(4))
          expect(data).toEqual(indexed.map(token => ({ token, candles: alone[tokens.indexOf(token)]?.data })))
          expect(asOfBlock).toBe(alone[0]?.asOfBlock)
        }
      }
    }
  })
})

describe('a line of prices', () => {
  // Lines once dropped the price that the change is measured from, and rose beside a change that fell.
  test('begins with the price that the change beside it is measured from, and ends with the present price', async () => {
    await insertRows(kysely, 'token', [
      tokenRow(1, {
        created_at: NOW - 90 * HOUR,
        price_weth: '5',
        price_change_h24: -50,
        reference_price_h24: '10.0',
        first_price_weth: '1',
      }),
      // Launched ten minutes ago: the change is measured from the first price.
      tokenRow(2, { created_at: NOW, price_weth: '4', price_change_h24: 300, reference_price_h24: null, first_price_weth: '1' }),
      tokenRow(3, { price_weth: null, price_change_h24: null }),
    ])
    await insertRows(kysely, 'candle', [
      ...[30, 24, 20, 0].map(ago => candleRow(1, '1h', ago, 100 + ago)),
      ...[0, -3, -9].map(ago => candleRow(2, '1m', ago, 2 - ago)),
    ])
    const { data } = await readSparklines(kysely, { tokens: [1, 2, 3, 4].map(addressOf), limit: 4 })
    expect(data).toEqual([
      {
        token: addressOf(1),
        times: [NOW + 600 - 24 * HOUR, NOW - 23 * HOUR, NOW - 19 * HOUR, NOW + 600],
        prices: ['10', '124', '120', '5'],
      },
      { token: addressOf(2), times: [NOW, NOW + 60, NOW + 240, NOW + 600], prices: ['1', '2', '5', '4'] },
      { token: addressOf(3), times: [], prices: [] },
    ])
  })

  test('of any age has at most 27 points', async () => {
    const ages = [60, 1_440, 1_500, 7_200, 7_300, 21_600, 21_700, 86_400]
    await insertRows(
      kysely,
      'token',
      ages.map((age, index) => tokenRow(index + 1, { created_at: NOW - age, price_weth: '5', price_change_h24: 0, first_price_weth: '5' })),
    )
    const candles = ages.flatMap((_, index) =>
      (['1m', '5m', '15m', '1h'] as const).flatMap(interval =>
        Array.from({ length: 50 }, (_, ago) => candleRow(index + 1, interval, ago, 5)),
      ),
    )
    await insertRows(kysely, 'candle', candles)
    const { data } = await readSparklines(kysely, { tokens: ages.map((_, index) => addressOf(index + 1)), limit: 8 })
    for (const { times } of data) {
      expect(times.length).toBeLessThanOrEqual(27)
      expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
    }
  })
})
