import { expect, test } from 'vitest'
import { priceScale } from '#integrations/udf.ts'
import type { Candle } from '#resources/candles.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { tokenOf, tradeOf } from '#test/support/snapshots.ts'

const START = 1_795_000_020
const MINUTES = 2_000

/** Every third minute has a candle, and there is a gap of an hour before the last hundred. */
const CANDLES: readonly Candle[] = Array.from({ length: MINUTES / 2 }, (_, index) => ({
  time: START + 180 * index + (index >= 900 ? 3_600 : 0),
  open: `0.00000${index + 1}`,
  high: `0.0001${index}`,
  low: '0.000000000001',
  close: `0.00000${index + 2}`,
  volume: `${index}.5`,
  trades: 3,
}))

const tokens: Token[] = []
const token = tokenOf(TOKEN, 1, { createdAt: new Date(START * 1_000).toISOString() })
const graduated = { ...token, graduation: { ...token.graduation, migratedAt: new Date((START + 600) * 1_000).toISOString() } }
const trade = { ...tradeOf(TOKEN), timestamp: new Date((START + 60) * 1_000).toISOString(), side: 'sell' as const }
tokens.push(graduated)
const gateway = await startGateway({
  config: { launchpads: { weth: token.creator, launchpads: [{ name: 'wow', adapter: 'wow', startBlock: 0, contracts: {} }] } },
  stored: {
    tokens,
    candles: new Map([[TOKEN, [...CANDLES]]]),
    trades: [
      { ...trade, maker: token.creator, id: '456-1', logIndex: 1 },
      { ...trade, id: '456-2', logIndex: 2 },
    ],
  },
})

const history = (query: string) => ask<Bars>(`history?symbol=${TOKEN}&resolution=1&${query}`)

test('the chart library finds a token, resolves it, and reads all of its bars backwards', async () => {
  const config = await ask<{ supports_search: boolean; supported_resolutions: string[] }>('config')
  expect(config).toMatchObject({
    supports_search: true,
    supported_resolutions: ['1S', '5S', '15S', '30S', '1', '5', '15', '30', '60', '240', '720', '1D', '1W'],
  })
  const [found] = await ask<{ ticker: string; symbol: string }[]>('search?query=alp&type=&exchange=&limit=30')
  const symbol = await ask<{ ticker: string; name: string }>(`symbols?symbol=${found?.ticker}`)
  expect(symbol).toMatchObject({ ticker: TOKEN, name: found?.symbol, session: '24x7', currency_code: 'WETH' })
  const bars: { time: number; open: number; close: number; volume: number }[] = []
  // As the library does: as many bars as the screen holds before a time, then the range before the first of them.
  let to = START + 60 * 10 * MINUTES
  for (;;) {
    const page = await history(`from=${to - 300 * 60}&to=${to}&countback=300`)
    if (page.s === 'no_data') break
    expect(page.s).toBe('ok')
    bars.unshift(
      ...page.t.map((time, index) => ({
        time,
        open: page.o[index] ?? Number.NaN,
        close: page.c[index] ?? Number.NaN,
        volume: page.v[index] ?? Number.NaN,
      })),
    )
    to = page.t[0] ?? 0
  }
  expect(bars).toEqual(
    CANDLES.map(({ time, open, close, volume }) => ({ time, open: Number(open), close: Number(close), volume: Number(volume) })),
  )
})

// The chart library sends what a user types in upper case, and the names that it was given before.
test('every name that a search returns, or that finds a token, resolves to it', async () => {
  const [found] = await ask<{ ticker: string; symbol: string; full_name: string }[]>('search?query=alp')
  const { ticker = '', symbol = '', full_name: fullName = '' } = found ?? {}
  const names = [
    ticker,
    ticker.toUpperCase(),
    symbol,
    symbol.toLowerCase(),
    fullName,
    fullName.toUpperCase(),
    `wow:${symbol}`,
    `WOW: ${symbol}`,
  ]
  for (const name of names.flatMap(one => [one, ` ${one} `])) {
    const asked = encodeURIComponent(name)
    const answers = [
      name,
      await ask(`symbols?symbol=${asked}`),
      await ask(`history?symbol=${asked}&resolution=1&to=${START + 6_000}&countback=1`),
      await ask(`marks?symbol=${asked}&from=${START}&to=${START + 6_000}`),
      await ask(`search?query=${asked}`),
    ]
    expect(answers).toMatchObject([name, { ticker: TOKEN }, { s: 'ok' }, { id: expect.any(Array) }, [{ ticker: TOKEN }]])
  }
  expect(await ask(`symbols?symbol=other:${symbol}`)).toMatchObject({ errmsg: 'unknown_symbol' })
})

// A count is computed from the width of a chart: one out of bounds was an error, and the chart stayed empty.
test.for([
  ['0', 1],
  ['-20', 1],
  ['0.4', 1],
  ['2.5', 3],
  ['1e2', 100],
  ['100000', 1_000],
  ['9'.repeat(40), 1_000],
] as const)('a countback of %s gives %d bars', async ([countback, bars]) => {
  const { t } = await history(`to=${START + 60 * 10 * MINUTES}.5&countback=${countback}`)
  expect(t).toHaveLength(bars)
  expect(await ask<unknown[]>(`search?query=alp&limit=${countback}`)).toHaveLength(1)
})

// `D` and `W` were taken, and any other way to write a length was an error.
test.for([
  ['S', '1S'],
  ['D', '1D'],
  ['W', '1W'],
  ['7D', '1W'],
  ['1440', '1D'],
  ['24H', '1D'],
  ['1h', '60'],
  ['4H', '240'],
  ['1m', '1'],
  ['60S', '1'],
] as const)('the resolution %s is %s', async ([written, resolution]) => {
  const bars = (asked: string) => ask<Bars>(`history?symbol=${TOKEN}&resolution=${asked}&to=${START + 6_000}&countback=3`)
  expect(await bars(written)).toEqual(await bars(resolution))
  expect(await bars(written)).toMatchObject({ s: expect.stringMatching(/^(ok|no_data)$/) })
})

test('a range without a countback excludes its end', async () => {
  const { t } = await history(`from=${START}&to=${START + 360}`)
  expect(t).toEqual([START, START + 180])
})

test('an empty range says where the newest bar before it is', async () => {
  const gap = START + 180 * 900
  expect(await history(`from=${gap}&to=${gap + 3_000}`)).toEqual({ s: 'no_data', nextTime: START + 180 * 899 })
  expect(await history(`from=0&to=${START}`)).toEqual({ s: 'no_data' })
  expect(await history(`from=-100&to=0`)).toEqual({ s: 'no_data' })
})

test.for([
  [`history?symbol=${NOT_INDEXED}&resolution=1&to=${START}`, 'unknown_symbol'],
  [`symbols?symbol=${NOT_INDEXED}`, 'unknown_symbol'],
  ['symbols?symbol=NOSUCH', 'unknown_symbol'],
  ['symbols?symbol=', 'unknown_symbol'],
  ['symbols', 'symbol is required: it must be the address or symbol of a token, of at most 256 characters'],
  [
    `history?symbol=${TOKEN}&resolution=7&to=1`,
    'resolution must be a resolution of 1S, 5S, 15S, 30S, 1, 5, 15, 30, 60, 240, 720, 1D, 1W, got "7"',
  ],
  ...['1M', 'M', '2D', '', '0', '1 D', 'D1', '-1'].map(resolution => {
    const query = `history?symbol=${TOKEN}&resolution=${encodeURIComponent(resolution)}&to=1`
    return [query, expect.stringContaining('must be a resolution of 1S, 5S')] as const
  }),
  [`history?symbol=${TOKEN}&resolution=1&to=1e9`, 'to must be Unix seconds, got "1e9"'],
  [`history?symbol=${TOKEN}&resolution=1&to=1&countback=many`, 'countback must be a number, got "many"'],
  [`history?symbol=${TOKEN}&resolution=1&to=1&currencyCode=EUR`, 'currencyCode must be one of WETH, USD, got "EUR"'],
  ['search?query=&exchange=%00', 'exchange must be the name of a launchpad, of at most 64 characters, got " "'],
  [`marks?symbol=${NOT_INDEXED}&from=0&to=1`, 'unknown_symbol'],
] as const)('%s is an error that the library shows', async ([path, errmsg]) => {
  expect(await ask(path)).toEqual({ s: 'error', errmsg })
})

test('marks are the creator’s trades; launch and graduation stand on the time axis', async () => {
  const range = `from=${START}&to=${START + 6_000}&resolution=1`
  const [sold] = gateway.reads.stored.trades
  const both = [sold, { ...sold, side: 'buy' }] as Trade[]
  gateway.reads.stored.trades = both
  const { text, color, ...marks } = await ask<{ readonly text: string[]; readonly color: string[] }>(`marks?symbol=${TOKEN}&${range}`)
  expect(marks).toMatchObject({ id: ['456-1', '456-1'], time: [START + 60, START + 60], label: ['S', 'B'] })
  expect(text.map(one => one.split(' ').slice(0, 3).join(' '))).toEqual(['The creator sold', 'The creator bought'])
  expect(new Set(color).size).toBe(2)
  gateway.reads.stored.trades = both.slice(0, 1)
  expect(await ask(`timescale_marks?symbol=${TOKEN}&${range}`)).toMatchObject([
    { id: 'launch', time: START },
    { id: 'graduation', time: START + 600 },
  ])
  expect(await ask(`timescale_marks?symbol=${TOKEN}&from=0&to=${START - 1}&resolution=1`)).toEqual([])
})

// Marks once stood at the second of the trade, whatever the resolution: the chart library shows only marks at the start of a bar.
test.for([
  ['15S', 15],
  ['1', 60],
  ['5', 300],
  ['60', 3_600],
  ['1D', 86_400],
] as const)('marks of resolution %s stand at the start of their bars, up to the bar that holds the end', async ([resolution, seconds]) => {
  const barOf = (time: number) => time - (time % seconds)
  const range = (from: number, to: number) => `symbol=${TOKEN}&from=${from}&to=${to}&resolution=${resolution}`
  const traded = { id: ['456-1'], time: [barOf(START + 60)] }
  expect(await ask(`marks?${range(START, barOf(START + 60))}`)).toMatchObject(traded)
  expect(await ask(`marks?${range(START + 60, START + 6_000)}`)).toMatchObject(traded)
  expect(await ask(`marks?${range(0, barOf(START + 60) - 1)}`)).toMatchObject({ id: [] })
  expect((await ask<object[]>(`timescale_marks?${range(START, START)}`))[0]).toMatchObject({ id: 'launch', time: barOf(START) })
})

test('a search without a query lists what trades most, of one launchpad or all', async () => {
  expect(await ask<unknown[]>('search?query=')).toHaveLength(1)
  expect(await ask<unknown[]>('search?query=&exchange=none')).toEqual([])
})

test('time is a plain number', async () => {
  const response = await gateway.get('/udf/time')
  const seconds = Number(await response.text())
  expect(Math.abs(seconds - Date.now() / 1_000)).toBeLessThan(60)
})

test.for([
  [0.0000000123, 1e13],
  [0.5, 1e6],
  [3_000, 100],
  [0, 1e16],
  [1e-30, 1e16],
] as const)('a price of %d is shown in steps of 1/%d', ([price, scale]) => {
  expect(priceScale(price)).toBe(scale)
})

// The chart library shows the text of a mark as HTML, and a symbol was once in it as its creator wrote it.
test('a symbol and a name are the same as text and as HTML', async () => {
  tokens[0] = tokenOf(TOKEN, 2, { symbol: '<img src=x onerror="alert(1)">', name: `<b>&lt;a href='x'>` })
  const marks = await ask<{ text: string[] }>(`marks?symbol=${TOKEN}&from=${START}&to=${START + 6_000}`)
  const answers = [marks, await ask(`symbols?symbol=${TOKEN}`), await ask('search?query='), await ask('symbols?symbol=<i>')]
  expect(marks.text).toEqual([expect.stringContaining('‹img src=x onerror=″alert(1)″›')])
  expect(answers.flatMap(texts).filter(text => /[<>&'`]/.test(text))).toEqual([])
  tokens[0] = tokenOf(TOKEN, 3, { symbol: null, name: null })
  expect(await ask(`symbols?symbol=${TOKEN}`)).toMatchObject({ name: TOKEN, description: TOKEN })
  expect(await ask(`marks?symbol=${TOKEN}&from=${START}&to=${START + 6_000}`)).toMatchObject({ text: [expect.stringMatching(/ tokens$/)] })
})

/** All texts in an answer. */
function texts(answer: unknown): readonly string[] {
  if (typeof answer === 'string') return [answer]
  return typeof answer === 'object' && answer !== null ? Object.values(answer).flatMap(texts) : []
}

interface Bars {
  readonly s: string
  readonly t: readonly number[]
  readonly o: readonly number[]
  readonly c: readonly number[]
  readonly v: readonly number[]
  readonly nextTime?: number
  readonly errmsg?: string
}

async function ask<T>(path: string): Promise<T> {
  const response = await gateway.get(`/udf/${path}`)
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
