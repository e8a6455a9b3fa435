import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CANDLE_INTERVALS, type CandleInterval } from '#domain/candle.ts'
import type { Candle, CandleCursor, CandlesQuery } from '#resources/candles.ts'
import { readCandles } from '#store/reads/candles.ts'
import { toBytes } from '#tables/columns.ts'
import { useDatabase } from '#test/support/database.ts'
import { plansOf } from '#test/support/explain.ts'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow, wordOf } from '#test/support/rows.ts'
import { type From, pagesOf } from './pagesOf.ts'

const { kysely, clear } = await useDatabase()
const TOKEN = addressOf(1)
const START = 1_700_000_040 // a full minute, and no full hour
const NEWEST = START + 400 * 60 + 17

/** Minutes after `START` that have a candle, and those of them that have a price in USD. */
interface Stored {
  readonly minute: number
  readonly usd: boolean
}

function carried(time: number, close: string | null, fill: boolean): Candle | null {
  return fill && close !== null ? { time, open: close, high: close, low: close, close, volume: '0', trades: 0 } : null
}

function wireCandle({ minute }: Stored, currency: CandlesQuery['currency']): Candle {
  const time = START + minute * 60
  const weth = { open: `${minute}.1`, high: `${minute}.4`, low: `${minute}`, close: `${minute}.2`, volume: `${minute + 1}` }
  const usd = { open: `${minute * 3}.1`, high: `${minute * 3}.4`, low: `${minute * 3}`, close: `${minute * 3}.2`, volume: `${minute}.5` }
  // Half of the trades had a price in USD.
  return currency === 'weth' ? { time, ...weth, trades: minute + 1 } : { time, ...usd, trades: Math.ceil((minute + 1) / 2) }
}

/** All pages put together, oldest first. */
const readAll = async (query: Omit<CandlesQuery, 'cursor'>) =>
  (await pagesOf(query.limit, (from: From<CandleCursor>) => readCandles(kysely, { ...query, ...from }))).toReversed().flat()

async function store(stored: readonly Stored[]): Promise<void> {
  await clear()
  await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: NEWEST })])
  await insertRows(kysely, 'token', [tokenRow(1), tokenRow(2)])
  await insertRows(
    kysely,
    'candle',
    stored.map(one => candleRow(one)),
  )
}

const at = (minute: number, seconds = 0) => START + minute * 60 + seconds
const base = { address: TOKEN, interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 300 } as const

describe('candles', () => {
  test('are the same as a walk over every minute, whatever gaps, range, currency, filling and page size', async () => {
    const stored = fc.uniqueArray(fc.record({ minute: fc.nat(400), usd: fc.boolean() }), { selector: one => one.minute, maxLength: 40 })
    const query = fc.record(
      {
        currency: fc.constantFrom('weth' as const, 'usd' as const),
        fill: fc.boolean(),
        limit: fc.constantFrom(7, 100, 1500),
        from: fc.integer({ min: -20, max: 420 }).map(minute => at(minute, 13)),
        to: fc.integer({ min: -20, max: 420 }).map(minute => at(minute, 13)),
      },
      { requiredKeys: ['currency', 'fill', 'limit'] },
    )
    await fc.assert(
      fc.asyncProperty(stored, fc.array(query, { minLength: 4, maxLength: 4 }), async (candles, queries) => {
        await store(candles)
        for (const one of queries) {
          const asked = { ...one, address: TOKEN, interval: '1m', of: 'price' } as Omit<CandlesQuery, 'cursor'>
          expect(await readAll(asked)).toEqual(expectedCandles(candles, asked))
        }
      }),
      { numRuns: 25 },
    )
  })

  describe('in the quote currency', () => {
    const DOLLAR = addressOf(0xd0)
    const pool = { address: wordOf(7), quote_token: DOLLAR }
    const ask = (currency: CandlesQuery['currency']) => readCandles(kysely, { ...base, currency })
    const currencyRow = (decimals: number | null) => ({ address: DOLLAR, symbol: 'USDX', decimals, is_read: true })
    const unpriced = { open: null, high: null, low: null, close: null, volume_wei: null }
    const inDollars = {
      open_quote: '0.0000000000015',
      high_quote: '0.000000000002',
      low_quote: '0.000000000001',
      close_quote: '0.0000000000012500',
      volume_quote: '2500001',
    }
    const fill = async (decimals: number | null) => {
      await store([{ minute: 9, usd: true }])
      await sql`update token set main_pool = ${toBytes(pool.address)} where address = ${toBytes(TOKEN)}`.execute(kysely)
      await insertRows(kysely, 'pool', [poolRow(7, 1, pool)])
      await insertRows(kysely, 'currency', [currencyRow(decimals)])
      await insertRows(kysely, 'candle', [
        { ...candleRow({ minute: 3, usd: false }), ...unpriced, ...inDollars },
        { ...candleRow({ minute: 5, usd: false }), ...inDollars },
      ])
    }

    test('has whole units by its decimals, and what WETH was where that was the currency', async () => {
      await fill(6)
      const candle = { open: '1.5', high: '2', low: '1', close: '1.25', volume: '2.500001' }
      expect((await ask('quote'))?.data.slice(0, 2)).toEqual([
        { time: at(3), ...candle, trades: 4 },
        { time: at(5), ...candle, trades: 6 },
      ])
      expect((await ask('quote'))?.data.map(({ time }) => time)).toEqual([at(3), at(5), at(9)])
      const filled = await readCandles(kysely, { ...base, currency: 'quote', fill: true, to: at(12) })
      expect(filled?.data.find(({ time }) => time === at(4))).toMatchObject({ open: '1.25', close: '1.25', trades: 0 })
      expect((await ask('weth'))?.data.map(({ time }) => time)).toEqual([at(5), at(9)])
      expect((await ask('usd'))?.data.map(({ time }) => time)).toEqual([at(9)])
    })

    test('of market caps are prices times whole tokens, carried through gaps as prices are', async () => {
      await fill(6)
      const caps = { ...base, of: 'marketCap' } as const
      const inQuote = await readCandles(kysely, { ...caps, currency: 'quote' })
      const inDollarsOfAll = { open: '1500000000', high: '2000000000', low: '1000000000', close: '1250000000', volume: '2.500001' }
      expect(inQuote?.data[0]).toEqual({ time: at(3), ...inDollarsOfAll, trades: 4 })
      const inUsd = await readCandles(kysely, { ...caps, currency: 'usd' })
      expect(inUsd?.data).toMatchObject([{ time: at(9), open: '27100000000', close: '27200000000', volume: '9.5' }])
      const filled = await readCandles(kysely, { ...caps, currency: 'weth', fill: true, from: at(9), to: at(10) })
      expect(filled?.data.map(({ close, trades }) => [close, trades])).toEqual([
        ['9200000000', 10],
        ['9200000000', 0],
      ])
      expect(await readCandles(kysely, { ...caps, address: addressOf(99), currency: 'weth' })).toBeNull()
    })

    test('has no candles while its decimals are not known, and no token where there is none', async () => {
      await fill(null)
      expect((await ask('quote'))?.data).toEqual([])
      expect((await ask('weth'))?.data).toHaveLength(2)
      expect(await readCandles(kysely, { ...base, address: addressOf(99), currency: 'quote' })).toBeNull()
    })
  })

  describe('of a token with gaps', () => {
    beforeEach(() =>
      store([
        { minute: 3, usd: false },
        { minute: 4, usd: true },
        { minute: 10, usd: true },
      ]),
    )

    test('are the newest of the range, in rising order, and lead to older ones', async () => {
      const first = await readCandles(kysely, { ...base, limit: 2 })
      expect(first?.data.map(candle => candle.time)).toEqual([at(4), at(10)])
      expect(first?.next).toEqual({ time: at(4) })
      const second = await readCandles(kysely, { ...base, limit: 2, cursor: { time: at(4) } })
      expect(second).toEqual({ data: [wireCandle({ minute: 3, usd: false }, 'weth')], next: null, asOfBlock: expect.any(String) })
    })

    test('include the interval that holds from and the one that holds to', async () => {
      const page = await readCandles(kysely, { ...base, from: at(4, 59), to: at(10, 1) })
      expect(page?.data.map(candle => candle.time)).toEqual([at(4), at(10)])
    })

    test('carry the close from before the range when filled, up to the newest indexed block', async () => {
      const page = await readCandles(kysely, { ...base, fill: true, from: at(398) })
      expect(page?.data).toEqual([398, 399, 400].map(minute => flat(at(minute), '10.2')))
      expect(page?.next).toBeNull()
    })

    test('do not begin before the first trade when filled', async () => {
      const page = await readCandles(kysely, { ...base, fill: true, from: at(0), to: at(5) })
      expect(page?.data.map(candle => [candle.time, candle.close, candle.trades])).toEqual([
        [at(3), '3.2', 4],
        [at(4), '4.2', 5],
        [at(5), '4.2', 0],
      ])
    })

    test('count in USD the trades whose price was known, which their prices and volume are of', async () => {
      const page = await readCandles(kysely, { ...base, currency: 'usd', from: at(10) })
      expect(page?.data).toEqual([{ time: at(10), open: '30.1', high: '30.4', low: '30', close: '30.2', volume: '10.5', trades: 6 }])
    })

    test('leave out those without a price in USD, also as what is carried', async () => {
      const page = await readCandles(kysely, { ...base, currency: 'usd', fill: true, from: at(3), to: at(6) })
      expect(page?.data.map(candle => [candle.time, candle.close])).toEqual([
        [at(4), '12.2'],
        [at(5), '12.2'],
        [at(6), '12.2'],
      ])
    })

    test('are empty in the future, before the first trade and for a token without trades, and nothing for an unknown token', async () => {
      const empty = { data: [], next: null, asOfBlock: expect.any(String) as string }
      for (const fill of [true, false]) {
        expect(await readCandles(kysely, { ...base, fill, from: NEWEST + 3600 })).toEqual(empty)
        expect(await readCandles(kysely, { ...base, fill, to: 10 })).toEqual(empty)
        expect(await readCandles(kysely, { ...base, fill, address: addressOf(2) })).toEqual(empty)
        expect(await readCandles(kysely, { ...base, fill, address: addressOf(9) })).toBeNull()
      }
    })
  })

  describe('on a long chart', () => {
    beforeAll(async () => {
      const minutes = Array.from({ length: 6000 }, (_, minute) => ({ minute, usd: true }))
      await store(minutes)
      for (const other of [3, 4, 5]) {
        const token = addressOf(other)
        await insertRows(
          kysely,
          'candle',
          minutes.map(minute => ({ ...candleRow(minute), token })),
        )
      }
    })

    test.each(Object.keys(CANDLE_INTERVALS) as CandleInterval[])('keep to their interval: %s', async interval => {
      const expected = interval === '1m' ? 5 : 0
      expect((await readCandles(kysely, { ...base, interval, limit: 5, to: at(6000) }))?.data.length).toBe(expected)
    })

    test.each([true, false])('are read from their index alone, filled: %s', async fill => {
      await sql`vacuum analyze candle`.execute(kysely)
      for (const currency of ['weth', 'usd'] as const) {
        const query = { ...base, currency, fill, from: at(100), cursor: { time: at(390) } }
        const plans = await plansOf(kysely, db => readCandles(db, query))
        const ofCandles = plans.flat().filter(node => node['Relation Name'] === 'candle')
        // With USD values and without, and what is carried into the page.
        expect(ofCandles).toHaveLength((currency === 'weth' ? 2 : 1) * (fill ? 2 : 1))
        for (const node of ofCandles) expect([node['Node Type'], node['Index Name']]).toEqual(['Index Only Scan', 'candle_by_time'])
      }
    })
  })
})

function flat(time: number, close: string): Candle {
  return { time, open: close, high: close, low: close, close, volume: '0', trades: 0 }
}

function candleRow({ minute, usd }: Stored, step = 60): Row {
  const price = (index: number) => `${minute}.${index}0`
  return {
    token: TOKEN,
    interval_seconds: step,
    time: START + minute * step,
    open: price(1),
    high: price(4),
    low: price(0),
    close: price(2),
    volume_wei: `${minute + 1}000000000000000000`,
    trades: minute + 1,
    open_usd: usd ? `${minute * 3}.1` : null,
    high_usd: usd ? `${minute * 3}.4` : null,
    low_usd: usd ? `${minute * 3}` : null,
    close_usd: usd ? `${minute * 3}.20` : null,
    volume_usd: usd ? `${minute}.50` : null,
    trades_usd: usd ? Math.ceil((minute + 1) / 2) : 0,
  }
}

/** The candles of a query without its limit, said plainly: one minute after the other. */
function expectedCandles(
  stored: readonly Stored[],
  { currency, from = 0, to = Number.MAX_SAFE_INTEGER, fill }: Omit<CandlesQuery, 'limit'>,
): Candle[] {
  const known = new Map(stored.filter(({ usd }) => currency === 'weth' || usd).map(one => [one.minute, one]))
  const candles: Candle[] = []
  let close: string | null = null
  for (let minute = 0; minute <= 400; minute++) {
    const time = START + minute * 60
    const one = known.get(minute)
    const candle: Candle | null = one === undefined ? carried(time, close, fill) : wireCandle(one, currency)
    if (candle === null) continue
    close = candle.close
    if (time + 59 >= from && time <= to) candles.push(candle)
  }
  return candles
}
