import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Candle } from '#resources/candles.ts'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { createTestCandles } from '#test/support/actors.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type Client, RealtimeFixture } from './startRealtime.ts'

const TOKEN = addressOf(1)

let fixture: RealtimeFixture
let client: Client
let reads: number

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  client = await fixture.client()
  fixture.gateway.reads.stored.tokens = [tokenOf(TOKEN, 1)]
  reads = 0
  fixture.gateway.reads.before = async () => {
    reads++
  }
})

afterEach(() => fixture.stop())

/** A candle of a minute. */
const candle = (minute: number, close: string | number): Candle => ({
  time: minute * 60,
  open: '1',
  high: '9',
  low: '1',
  close: String(close),
  volume: '2',
  trades: 3,
})

/** Stores the candles of these minutes and closes, as a commit would. */
function store(...candles: readonly (readonly [minute: number, close: string | number])[]): void {
  fixture.gateway.reads.stored.candles = new Map([[TOKEN, candles.map(([minute, close]) => candle(minute, close))]])
  fixture.candles.changed(new Set([TOKEN]))
}

const subscribe = { type: 'subscribe', channel: 'candles', filters: { token: TOKEN } }

describe('a subscription to candles', () => {
  it('gets the newest candles, then those that changed', async () => {
    store([1, 5], [2, 6])
    client.send({ ...subscribe, id: 'chart' })
    const filters = { token: TOKEN, interval: '1m', of: 'price', currency: 'weth' }
    expect(await client.next()).toEqual({ type: 'subscribed', id: 'chart', channel: 'candles', filters })
    expect(await client.next()).toEqual({
      type: 'candles',
      id: 'chart',
      sequence: 1_795_000_000_000,
      from: 0,
      data: [candle(1, 5), candle(2, 6)],
    })
    store([1, 5], [2, 7])
    expect(await client.next()).toMatchObject({ sequence: 1_795_000_000_001, from: 120, data: [candle(2, 7)] })
    store([1, 5], [2, 8], [4, 9])
    expect(await client.nextInShort(1)).toEqual(['candles from 120: 120 8, 240 9'])
    store([1, 5], [2, 8], [4, 9])
    await eventually(() => reads === 4)
    expect(await client.settle()).toEqual([])
  })

  it('is told of candles that disappeared in a reorg', async () => {
    store([1, 5], [2, 6], [3, 7])
    client.send(subscribe)
    await client.nextInShort(2)
    store([1, 5], [2, 6])
    expect(await client.nextInShort(1)).toEqual(['candles from 180: '])
    store([1, 5], [4, 8])
    expect(await client.nextInShort(1)).toEqual(['candles from 120: 240 8'])
    store()
    expect(await client.nextInShort(1)).toEqual(['candles from 60: '])
  })

  it('gets those of a token that is not indexed when it appears', async () => {
    fixture.gateway.reads.stored.tokens = []
    client.send(subscribe)
    expect(await client.nextInShort(2)).toEqual(['subscribed candles', 'candles from 0: '])
    fixture.gateway.reads.stored.tokens = [tokenOf(TOKEN, 1)]
    store([7, 1])
    expect(await client.nextInShort(1)).toEqual(['candles from 420: 420 1'])
  })

  it('begins anew when more has changed than a message holds', async () => {
    const minutes = (from: number, count: number) => Array.from({ length: count }, (_, n): [number, number] => [from + n, n])
    store(...minutes(1, 100))
    client.send(subscribe)
    await client.next()
    expect(await client.next()).toMatchObject({ from: 0, data: { 0: { time: 41 * 60 }, length: 60 } })
    store(...minutes(1, 101))
    expect(await client.nextInShort(1)).toEqual(['candles from 6060: 6060 100'])
    store(...minutes(1, 200))
    expect(await client.next()).toMatchObject({ from: 0, data: { 0: { time: 141 * 60 }, length: 60 } })
  })

  it('fits into a message, whatever prices are', async () => {
    store(...Array.from({ length: 60 }, (_, n): [number, string] => [n + 1, `${'123456789'.repeat(40)}.${n}`]))
    client.send({ ...subscribe, id: '\u0001'.repeat(64) })
    await client.next()
    expect(await client.next()).toMatchObject({ from: 0 })
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
    expect(client.largestBytes).toBeGreaterThan(14_000)
  })

  it('is read once for all that have the same ones, and only when a commit changed the token', async () => {
    store([1, 5])
    const clients = [client, await fixture.client(), await fixture.client()]
    for (const one of clients) {
      one.send(subscribe)
      expect(await one.nextInShort(2)).toEqual(['subscribed candles', 'candles from 0: 60 5'])
    }
    fixture.candles.changed(new Set([addressOf(2)]))
    expect([await client.settle(), reads]).toEqual([[], 1])
    store([1, 6])
    for (const one of clients) expect(await one.nextInShort(1)).toEqual(['candles from 60: 60 6'])
    expect(reads).toBe(2)
  })

  it('ends with unsubscribe, and costs nothing then', async () => {
    client.send(subscribe)
    await client.nextInShort(2)
    client.send({ type: 'unsubscribe', channel: 'candles' })
    expect(await client.next()).toEqual({ type: 'unsubscribed', id: 'candles' })
    store([1, 1])
    expect([await client.settle(), reads]).toEqual([[], 1])
  })

  it('is tried again at the next sweep when the database does not answer', async () => {
    fixture.gateway.reads.before = async () => {
      reads++
      if (reads === 1) throw new Error('the database is away')
    }
    client.send(subscribe)
    expect(await client.settle()).toEqual(['subscribed candles'])
    fixture.candles.sweep()
    expect(await client.nextInShort(1)).toEqual(['candles from 0: '])
  })

  it.each([
    [undefined, 'token is required: it must be'],
    [{ token: '0x12' }, 'token must be'],
    [{ token: TOKEN, interval: '2m' }, 'interval must be one of 1s, 5s, 15s, 30s, 1m, 5m, 15m, 30m, 1h, 4h, 12h, 1d, 1w, got "2m"'],
    [{ token: TOKEN, currency: 'eur' }, 'currency must be one of weth, usd, quote, got "eur"'],
    [{ token: TOKEN, of: 'volume' }, 'of must be one of price, marketCap, got "volume"'],
  ])('with %j is refused', async (filters, expected) => {
    client.send({ type: 'subscribe', channel: 'candles', filters })
    expect(await client.next()).toEqual({
      type: 'error',
      code: 'invalid_message',
      id: 'candles',
      message: expect.stringContaining(expected),
    })
  })

  it('is an event stream as well', async () => {
    store([1, 5])
    const stream = await fixture.rawClient(`GET /api/stream?channel=candles&token=${TOKEN} HTTP/1.1\r\nHost: a\r\n\r\n`)
    const first = (await stream.until(bytes => bytes.includes('event: candles'))).toString()
    expect(first).toContain('event: candles\nid: 1795000000000\ndata: {"type":"candles","id":"candles","sequence":1795000000000,"from":0,')
    store([1, 5], [2, 6])
    await stream.until(bytes => bytes.includes('"from":120,'))
    const refused = await fixture.gateway.get('/api/stream?channel=candles')
    expect(await expectProblem(refused, 400, 'invalid_parameter')).toContain('token is required')
  })
})

describe('candles', () => {
  it('are bounded in number', async () => {
    const candles = createTestCandles()
    const clients = Array.from({ length: 11 }, (_, n) => ({ client: `${n}`, state: () => undefined }))
    const subscriberOf = (n: number) => clients[Math.floor(n / 100)] ?? expect.unreachable()
    const query = (n: number) => ({ address: addressOf(n), interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 60 }) as const
    for (let n = 0; n < 1_000; n++) expect(candles.subscribe(query(n), subscriberOf(n))).toBeNull()
    expect(candles.subscribe(query(1_000), subscriberOf(1_000))).toBe('tooMany')
    candles.unsubscribe(query(5), subscriberOf(5))
    expect(candles.subscribe(query(1_000), subscriberOf(1_000))).toBeNull()
    await candles.stop()
  })
})
