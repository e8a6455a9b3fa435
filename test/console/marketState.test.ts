import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { failed } from '#client/clientError.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { followChartEnd } from '#console/state/chartEnd.ts'
import { boundInWeth, boundText, NO_BOUNDS } from '#console/state/listBounds.ts'
import { listParameters } from '#console/state/listQuery.ts'
import { createPagedList } from '#console/state/pagedList.ts'
import { DEFAULT_QUERY, hrefOf, parseRoute } from '#console/state/route.ts'
import { createSparklines } from '#console/state/sparklines.ts'
import { sparkPath } from '#console/state/sparkPath.ts'
import { eventsFor, type StripEvent } from '#console/state/stripEvent.ts'
import type { Address } from '#domain/address.ts'
import type { Candle } from '#resources/candles.ts'
import { addressOf } from '#test/support/snapshots.ts'

const A = addressOf(1)

test('half of the places are for trades, and what one half does not need the other has', () => {
  const event = (kind: StripEvent['kind'], minute: number): StripEvent => ({
    kind,
    key: `${kind} ${minute}`,
    token: A,
    block: minute,
    time: new Date(minute * 60_000).toISOString(),
    value: null,
  })
  const trades = [9, 8, 7, 6, 5].map(minute => event('buy', minute))
  const launches = [4, 3, 2].map(minute => event('launch', minute))
  const shown = (places: number, events: readonly StripEvent[]) => eventsFor(places, events).map(({ key }) => key)
  expect(shown(4, [...trades, ...launches])).toEqual(['buy 9', 'buy 8', 'launch 4', 'launch 3'])
  expect(shown(4, trades)).toEqual(['buy 9', 'buy 8', 'buy 7', 'buy 6'])
  expect(shown(4, [trades[0] as StripEvent, ...launches])).toEqual(['buy 9', 'launch 4', 'launch 3', 'launch 2'])
  expect(shown(1, [...trades, ...launches])).toEqual(['launch 4'])
})

test('bounds are in the address of the page, and what is no number is none', () => {
  const bounds = { ...NO_BOUNDS, minMarketCap: 1.5, minHolders: 20, minGraduation: 12.5, minAgeHours: 1, maxAgeHours: 24 }
  const href = hrefOf({ view: 'market', query: { ...DEFAULT_QUERY, bounds } })
  expect(href).toBe('#/?cap=1.5&holders=20&graduated=12.5&older=1&age=24')
  expect(parseRoute(href)).toEqual({ view: 'market', query: { ...DEFAULT_QUERY, bounds } })
  for (const wrong of ['cap=-1', 'cap=1e9', 'holders=2.5', 'age=x', 'cap=0', 'graduated=101', 'creator=0x12', 'holders=99999999999999']) {
    expect(parseRoute(`#/?${wrong}`)).toEqual({ view: 'market', query: DEFAULT_QUERY })
  }
  expect(parseRoute(`#/wallet/${A.toUpperCase().replace('0X', '0x')}`)).toEqual({ view: 'wallet', address: A })
})

test.each([
  ['10000', 3_000, 3.333333333, '10000'],
  ['0.5', 1, 0.5, '0.5'],
  ['1', 3_456.78, 0.000289287, '1'],
  ['1e9', 3_000, null, ''],
  ['-1', 1, null, ''],
])('a bound of %s in a currency of %d per ether is kept in ether and shown as it was entered', (text, perWeth, weth, shown) => {
  expect(boundInWeth(text, perWeth)).toBe(weth)
  expect(boundText(weth, perWeth)).toBe(shown)
})

test('lists with an age are the same for five minutes', () => {
  const at = (time: string) => listParameters({ ...DEFAULT_QUERY, bounds: { ...NO_BOUNDS, maxAgeHours: 1 } }, Date.parse(time)).createdAfter
  expect(at('2026-01-02T03:04:59Z')).toBe(Date.parse('2026-01-02T02:00:00Z') / 1_000)
  expect(at('2026-01-02T03:05:00Z')).toBe(Date.parse('2026-01-02T02:05:00Z') / 1_000)
})

// Lines were closes of whole hours, with the first open left out: a token that rose could have a line that fell.
test('a line leads from the price that the change beside it is measured from to the present one', () => {
  const nowMs = Date.parse('2026-01-02T12:00:00Z')
  const ago = (hours: number) => nowMs / 1_000 - hours * 3_600
  const path = (change: number, price: number, launchedHoursAgo: number, points: readonly (readonly [hours: number, price: string])[]) =>
    sparkPath(
      { token: A, times: points.map(([hours]) => ago(hours)), prices: points.map(([, value]) => value) },
      { price, change, createdAtMs: ago(launchedHoursAgo) * 1_000, nowMs },
      100,
      20,
    )
  expect(
    path(100, 2, 48, [
      [24, '7'],
      [12, '1.5'],
      [0, '1.9'],
    ]),
  ).toBe('M0.0 20.0L50.0 10.0L100.0 0.0')
  // A young token's line begins at its launch. The line is five minutes old, and the price has moved on.
  expect(
    path(-50, 1, 2, [
      [2, '2'],
      [1, '1'],
    ]),
  ).toBe('M0.0 0.0L50.0 20.0L100.0 20.0')
  expect(path(0, 2, 48, [])).toBe('M0.0 10.0L100.0 10.0')
  expect(path(0, 1e-36, 0, [[0, '0.1']])).toBe('M0.0 10.0L100.0 10.0')
})

/** An answer of the service, on success. */
const page = (data: readonly string[], nextCursor: string | null = null) =>
  ({ ok: true, value: { data, nextCursor, asOfBlock: '456' } }) as const

test('a list that is loaded again keeps the items of further pages, each once', async () => {
  let first: readonly string[] = ['c', 'b']
  const list = createPagedList(
    async ({ cursor }: { readonly cursor?: string }) => (cursor === undefined ? page(first, 'next') : page(['b', 'a'])),
    item => item,
  )
  await expect.poll(() => list.items.value).toEqual(['c', 'b'])
  list.loadMore()
  await expect.poll(() => list.items.value).toEqual(['c', 'b', 'a'])
  expect(list.hasMore.value).toBe(false)
  first = ['d', 'c']
  list.reload()
  await expect.poll(() => list.items.value).toEqual(['d', 'c', 'b', 'a'])
  list.restart()
  expect(list.items.value).toEqual(['d', 'c', 'b', 'a'])
  await expect.poll(() => list.items.value).toEqual(['d', 'c'])
  list.stop()
})

beforeEach(() => {
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }))
  vi.stubGlobal('reportError', () => {})
})
afterEach(() => vi.unstubAllGlobals())

test('a chart ends with the newest indexed block, also where its token has not traded', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-02T12:15:00Z') })
  try {
    const flat = { open: '1', high: '1', low: '1', close: '1', volume: '0', trades: 0 }
    let data: Candle[] = []
    let isAway = false
    const asked: unknown[] = []
    const client: Pick<Tokenwire, 'candles'> = {
      async candles(token, query) {
        asked.push([token, query])
        if (isAway) return failed('network', 'no answer arrived')
        return { ok: true, value: { data, nextCursor: null, asOfBlock: '456' } } as const
      },
    }
    const end = followChartEnd(client, A, { interval: '5m', currency: 'usd' })
    expect(end.time.value).toBeNull()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(end.time.value).toBeNull()
    data = [{ time: 600, ...flat }]
    await vi.advanceTimersByTimeAsync(11_000)
    expect(end.time.value).toBe(600)
    data = [{ time: 900, ...flat }]
    await vi.advanceTimersByTimeAsync(11_000)
    isAway = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(end.time.value).toBe(900)
    expect(asked[0]).toEqual([A, { interval: '5m', currency: 'usd', fill: true, limit: 1 }])
    end.stop()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('lines of any number of rows cost a request for a hundred of them, and another one after five minutes', async () => {
  vi.useFakeTimers()
  try {
    const asked: (readonly string[])[] = []
    const client = {
      sparklines: async (text: string) => {
        const tokens = text.split(',')
        asked.push(tokens)
        const data = tokens.map(token => ({ token: token as Address, times: [1], prices: ['1'] }))
        return { ok: true, value: { data, nextCursor: null, asOfBlock: '456' } } as const
      },
    }
    const lines = createSparklines(client)
    const addresses = Array.from({ length: 120 }, (_, n) => addressOf(n))
    const leaves = addresses.map(address => lines.want(address))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked.map(tokens => tokens.length)).toEqual([100, 20])
    expect(asked.flat()).toEqual(addresses)
    expect(lines.of(addressOf(0)).value).toMatchObject({ prices: ['1'] })
    for (const leave of leaves.slice(1)) leave()
    await vi.advanceTimersByTimeAsync(360_000)
    expect(asked.slice(2)).toEqual([[addressOf(0)]])
    lines.stop()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(asked).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})
