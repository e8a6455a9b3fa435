import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasCode } from '#errors'
import { createEthUsd, type EthUsdFeed, type EthUsdOptions } from '#ethUsd/ethUsd.ts'
import { coinbase, coingecko } from '#ethUsd/priceProviders.ts'
import { createLogger } from '#telemetry/logger.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { coinbaseAnswers, coingeckoAnswers, type PriceServer, type Respond, sends, startPriceServer } from './priceServer.ts'

const KEY = 'CG-secretOfTheTest'
const START = Date.parse('2026-01-01T00:00:00.000Z')
const MINUTE = 60_000

let gecko: PriceServer
let base: PriceServer
let clock = START
let timers: { readonly callback: () => void; readonly ms: number; readonly dueMs: number }[] = []
let log: string[] = []
let prices: EthUsdFeed
/** Times the current request out. */
let timesOut = () => {}

/** The log's entries of failed requests. */
const failuresLogged = () =>
  log
    .map(line => JSON.parse(line) as { msg: string; source: string; reason: string; pauseMs: number })
    .filter(({ msg }) => msg === 'ETH/USD provider fails')

/** Both providers fail from now on. */
function failBoth(): void {
  gecko.respond = sends(500, '{}')
  base.respond = sends(502, 'Bad Gateway')
}

/** Answers as CoinGecko does when it is asked for `last_updated_at`. */
const pricedAtAnswers = (price: string, pricedAt: string): Respond =>
  sends(200, `{"ethereum":{"usd":${price},"last_updated_at":${JSON.stringify(Date.parse(pricedAt) / 1_000)}}}`)

const logger = () =>
  createLogger({ level: 'debug', format: 'json', redactor: createRedactor([]), output: { write: line => void log.push(line) } })

beforeEach(async () => {
  clock = START
  timers = []
  log = []
  gecko = await startPriceServer(coingeckoAnswers('3012.44'))
  base = await startPriceServer(coinbaseAnswers('3010.125'))
  prices = create()
})

afterEach(async () => {
  await prices.stop()
  await gecko.close()
  await base.close()
})

describe('get', () => {
  it('answers with the price of CoinGecko, digit for digit', async () => {
    gecko.respond = coingeckoAnswers('3012.4400000000000000000001')
    expect(await prices.get()).toEqual({
      price: '3012.4400000000000000000001',
      currency: 'USD',
      source: 'coingecko',
      fetchedAt: '2026-01-01T00:00:00.000Z',
      ageSeconds: 0,
      stale: false,
    })
    const path = '/api/v3/simple/price?ids=ethereum&vs_currencies=usd&include_last_updated_at=true'
    expect(gecko.requests.map(request => request.path)).toEqual([path])
  })

  it('says that a price is simulated when its server says so', async () => {
    gecko.respond = sends(200, '{"ethereum":{"usd":3012.44},"simulated":true}')
    expect(await prices.get()).toMatchObject({ price: '3012.44', source: 'simulated' })
  })

  it('expands an exponent', async () => {
    gecko.respond = coingeckoAnswers('3.01244e3')
    expect(await prices.get()).toMatchObject({ price: '3012.44' })
  })

  it('asks once for all who wait and once a minute', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => prices.get()))
    expect(new Set(answers.map(answer => answer.price))).toEqual(new Set(['3012.44']))
    clock += MINUTE - 1
    expect(await prices.get()).toMatchObject({ ageSeconds: 59, stale: false })
    expect(gecko.requests).toHaveLength(1)
    clock += 1
    gecko.respond = coingeckoAnswers('3100')
    expect(await prices.get()).toMatchObject({ price: '3100', ageSeconds: 0, fetchedAt: '2026-01-01T00:01:00.000Z' })
    expect(gecko.requests).toHaveLength(2)
  })

  // A price that had stood still since 2023, by its own `last_updated_at`, was once served as fresh.
  it.each([
    ['2023-11-14T22:13:20.000Z', { price: '3010.125', source: 'coinbase', ageSeconds: 0, stale: false }],
    ['2025-12-31T23:55:00.000Z', { price: '3010.125', source: 'coinbase', ageSeconds: 0, stale: false }],
    ['2025-12-31T23:55:01.000Z', { price: '3000', source: 'coingecko', ageSeconds: 299, stale: false }],
    ['2025-12-31T23:58:30.000Z', { price: '3000', source: 'coingecko', ageSeconds: 90, stale: false }],
    // The clock of this machine may be slow.
    ['2026-01-01T00:00:20.000Z', { price: '3000', source: 'coingecko', ageSeconds: 0, stale: false }],
    ['never', { price: '3000', source: 'coingecko', ageSeconds: 0, stale: false }],
  ])('counts the age of a price of %s from then, and asks Coinbase when it is too old', async (pricedAt, expected) => {
    gecko.respond = pricedAtAnswers('3000', pricedAt)
    expect(await prices.get()).toMatchObject(expected)
  })

  it('is fetched no sooner again because the provider made it a while ago', async () => {
    gecko.respond = pricedAtAnswers('3000', '2025-12-31T23:57:00.000Z')
    await prices.get()
    clock += MINUTE - 1
    expect(await prices.get()).toMatchObject({ ageSeconds: 239, stale: false })
    expect(gecko.requests).toHaveLength(1)
    clock += 1
    await prices.get()
    expect(gecko.requests).toHaveLength(2)
  })

  it('answers with an old price of a provider, until it is ten minutes old, when there is no other', async () => {
    gecko.respond = pricedAtAnswers('3000', '2025-12-31T23:54:00.000Z')
    base.respond = sends(500, '')
    expect(await prices.get()).toMatchObject({ price: '3000', ageSeconds: 360, stale: true })
    expect(failuresLogged()[0]).toMatchObject({ source: 'coingecko', reason: 'a price that is 360 s old' })
    clock += 4 * MINUTE
    expect(hasCode(await refusal(), 'price_unavailable')).toBe(true)
  })

  it.each([
    ['3150', null],
    ['3151', { price: '3151', source: 'coinbase' }],
    ['2857.2', null],
    ['2857', { price: '2857', source: 'coinbase' }],
  ])('says when Coinbase is more than 5 percent away, at %s for 3000', async (price, disputed) => {
    const disputedNow = () => prices.last()?.disputed
    gecko.respond = coingeckoAnswers('3000')
    base.respond = coinbaseAnswers('4000')
    expect(await prices.get()).toMatchObject({ price: '3000', source: 'coingecko' })
    await expect.poll(disputedNow, { interval: 1 }).toEqual({ price: '4000', source: 'coinbase' })
    base.respond = coinbaseAnswers(price)
    clock += MINUTE
    await prices.get()
    await expect.poll(disputedNow, { interval: 1 }).toEqual(disputed)
    expect(log.map(line => (JSON.parse(line) as { msg: string }).msg)).toEqual(['ETH/USD providers disagree'])
  })

  it('asks Coinbase when CoinGecko fails', async () => {
    gecko.respond = sends(500, 'oops')
    expect(await prices.get()).toMatchObject({ price: '3010.125', source: 'coinbase', stale: false })
    expect(base.requests.map(request => request.path)).toEqual(['/v2/prices/ETH-USD/spot'])
  })

  const failures: readonly (readonly [string, Respond, string])[] = [
    ['refuses the key', sends(401, `{"status":{"error_message":"bad key ${KEY}"}}`), 'status 401'],
    ['limits', sends(429, '{"status":{"error_code":429}}'), 'status 429'],
    ['is broken', sends(503, '<html>'), 'status 503'],
    ['answers with another success', response => void response.writeHead(204).end(), 'status 204'],
    ['hangs', () => timesOut(), 'no answer within 3000 ms'],
    [
      'hangs in the middle of its answer',
      response => void response.writeHead(200).write('{"ethereum":', () => timesOut()),
      'no answer within 3000 ms',
    ],
    ['closes the connection', (_, request) => void request.socket.destroy(), 'no connection'],
    ['answers with no JSON', sends(200, '<!doctype html>'), 'an answer without a price'],
    ['answers with half a JSON', sends(200, '{"ethereum":{"usd":30'), 'an answer without a price'],
    ['answers with nothing', sends(200, ''), 'an answer without a price'],
    ['answers in another shape', sends(200, '{"ethereum":{"eur":2800}}'), 'an answer without a price'],
    ['answers null', sends(200, 'null'), 'an answer without a price'],
    ['answers with a list', sends(200, '[[[]]]'), 'an answer without a price'],
    ['knows no price', coingeckoAnswers('null'), 'an answer without a price'],
    ['answers with nesting without end', sends(200, '['.repeat(60_000)), 'an answer without a price'],
    ['answers zero', coingeckoAnswers('0'), 'an answer with an impossible price'],
    ['answers with a negative price', coingeckoAnswers('-3012.44'), 'an answer with an impossible price'],
    ['answers with a tiny price', coingeckoAnswers('1e-12'), 'an answer with an impossible price'],
    ['answers with a giant price', coingeckoAnswers('1e30'), 'an answer with an impossible price'],
    ['answers with more than any price', coingeckoAnswers('1e400'), 'an answer with an impossible price'],
    ['answers with a word', coingeckoAnswers('"NaN"'), 'an answer with an impossible price'],
    ['answers with too much', sends(200, `{"ethereum":{"usd":3000},"x":"${'x'.repeat(70_000)}"}`), 'an answer of more than 65536 bytes'],
    ['never stops', response => flood(response.writeHead(200)), 'an answer of more than 65536 bytes'],
    ['sends elsewhere', sends(302, '', { location: 'http://localhost:1/' }), 'a redirect to another origin'],
    ['sends nowhere', sends(301, ''), 'status 301 without a location'],
    ['sends in a circle', sends(307, '', { location: '/api/v3/simple/price' }), 'too many redirects'],
  ]

  it.each(failures)('asks the next one when a provider %s', async (_, respond, reason) => {
    gecko.respond = respond
    expect(await prices.get()).toMatchObject({ source: 'coinbase', price: '3010.125' })
    expect(failuresLogged()).toMatchObject([{ source: 'coingecko', reason: expect.stringContaining(reason) }])
    expect(JSON.stringify(log)).not.toContain(KEY)
  })

  it('follows a redirect within the origin', async () => {
    gecko.respond = (response, request) =>
      request.url === '/elsewhere'
        ? coingeckoAnswers('2999.5')(response, request)
        : sends(308, '', { location: '/elsewhere' })(response, request)
    expect(await prices.get()).toMatchObject({ price: '2999.5', source: 'coingecko' })
  })

  it('sends the key to no other origin', async () => {
    const stranger = await startPriceServer(coingeckoAnswers('1.5'))
    gecko.respond = sends(302, '', { location: `${stranger.url}/api/v3/simple/price` })
    expect(await prices.get()).toMatchObject({ source: 'coinbase' })
    expect(stranger.requests).toEqual([])
    await stranger.close()
  })

  it.each([
    ['of another currency', sends(200, '{"data":{"amount":"2800.1","base":"ETH","currency":"EUR"}}')],
    ['of another coin', sends(200, '{"data":{"amount":"60000","base":"BTC","currency":"USD"}}')],
  ])('refuses a price %s', async (_, respond) => {
    gecko.respond = sends(500, '')
    base.respond = respond
    expect(hasCode(await refusal(), 'price_unavailable')).toBe(true)
  })

  it('fails with price_unavailable and no secrets when no provider answers', async () => {
    failBoth()
    gecko.respond = sends(403, KEY)
    const error = await refusal()
    expect(error).toMatchObject({
      code: 'price_unavailable',
      retryable: true,
      message: 'no provider gives an ETH/USD price',
    })
    expect(failuresLogged().map(({ reason }) => reason)).toEqual(['status 403', 'status 502'])
    expect(JSON.stringify([error, (error as Error).stack, (error as { details: unknown }).details, log])).not.toContain(KEY)
  })

  it('fails when no server listens', async () => {
    await gecko.close()
    await base.close()
    expect(hasCode(await refusal(), 'price_unavailable')).toBe(true)
    expect(failuresLogged().map(({ reason }) => reason)).toEqual(['no connection (ECONNREFUSED)', 'no connection (ECONNREFUSED)'])
  })

  it('answers with an earlier price for ten minutes while the providers fail, and says so', async () => {
    await prices.get()
    failBoth()
    clock += MINUTE
    expect(await prices.get()).toEqual({
      price: '3012.44',
      currency: 'USD',
      source: 'coingecko',
      fetchedAt: '2026-01-01T00:00:00.000Z',
      ageSeconds: 60,
      stale: true,
    })
    clock = START + 10 * MINUTE - 1
    expect(await prices.get()).toMatchObject({ ageSeconds: 599, stale: true })
    clock += 1
    expect(hasCode(await refusal(), 'price_unavailable')).toBe(true)
    clock += 10 * MINUTE
    gecko.respond = coingeckoAnswers('2000')
    expect(await prices.get()).toMatchObject({ price: '2000', stale: false })
  })

  it('tells of every new price, and that it holds as long as it is converted with', async () => {
    const told: { readonly price: string; readonly untilMs: number }[] = []
    prices = create({ onPrice: (price, lifeMs) => told.push({ price, untilMs: clock + lifeMs }) })
    await prices.get()
    await prices.get()
    expect(told).toEqual([{ price: '3012.44', untilMs: START + 10 * MINUTE }])
    clock = START + 10 * MINUTE - 1
    expect(prices.ethUsd()).toBe('3012.44')
    clock += 1
    expect(prices.ethUsd()).toBeNull()
    gecko.respond = coingeckoAnswers('2000')
    await prices.get()
    expect(told.slice(1)).toEqual([{ price: '2000', untilMs: clock + 10 * MINUTE }])
  })

  it('pauses a failing provider with a back-off of up to a minute', async () => {
    failBoth()
    const pauses: number[] = []
    for (let round = 0; round < 9; round++) {
      await refusal()
      const pauseMs = failuresLogged().findLast(({ source }) => source === 'coingecko')?.pauseMs ?? 0
      clock += pauseMs - 1
      await refusal() // asks no provider, as both are paused
      clock += 1
      pauses.push(pauseMs / 1_000)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    expect(gecko.requests).toHaveLength(9)
  })

  it.each([
    ['120', 120],
    ['Thu, 01 Jan 2026 00:05:00 GMT', 300],
    ['0', 1],
    ['999999999', 3_600],
    ['soon', 60],
  ])('waits as long as CoinGecko asks with Retry-After: %s', async (retryAfter, seconds) => {
    gecko.respond = sends(429, '{}', { 'retry-after': retryAfter })
    expect(await prices.get()).toMatchObject({ source: 'coinbase' })
    expect(failuresLogged().map(({ pauseMs }) => pauseMs)).toEqual([seconds * 1_000])
  })

  it('returns to CoinGecko once it may be asked again', async () => {
    gecko.respond = sends(429, '{}', { 'retry-after': '90' })
    await prices.get()
    gecko.respond = coingeckoAnswers('3000')
    clock += MINUTE
    expect(await prices.get()).toMatchObject({ source: 'coinbase' })
    clock += MINUTE
    expect(await prices.get()).toMatchObject({ source: 'coingecko', price: '3000' })
    expect(gecko.requests).toHaveLength(2)
    expect(log.map(line => (JSON.parse(line) as { msg: string }).msg)).toEqual(['ETH/USD provider fails', 'ETH/USD provider answers again'])
  })
})

describe('the real clock and time-outs', () => {
  it('bound how long a provider may take', async () => {
    gecko.respond = () => {}
    base.respond = () => {}
    const real = createEthUsd({
      providers: [coingecko({ coingeckoUrl: gecko.url, coingeckoApiKey: null }), coinbase({ coinbaseUrl: base.url })],
      logger: logger(),
      onPrice: () => {},
      timeout: ms => AbortSignal.timeout(ms / 150),
    })
    await expect(real.get()).rejects.toMatchObject({ code: 'price_unavailable' })
    expect(failuresLogged().map(({ reason }) => reason)).toEqual(['no answer within 3000 ms', 'no answer within 3000 ms'])
  })

  it('tell when the price was fetched', async () => {
    const before = Date.now()
    const timeout = () => new AbortController().signal
    const real = createEthUsd({ providers: [coinbase({ coinbaseUrl: base.url })], logger: logger(), onPrice: () => {}, timeout })
    real.start()
    const { fetchedAt } = await real.get()
    await real.stop()
    expect(Math.abs(Date.parse(fetchedAt) - before)).toBeLessThan(60_000)
  })
})

describe('the key of CoinGecko', () => {
  it('goes into the header of the demo plan', async () => {
    await prices.get()
    expect(gecko.requests[0]?.headers).toMatchObject({ 'x-cg-demo-api-key': KEY })
    expect(gecko.requests[0]?.headers).not.toHaveProperty('x-cg-pro-api-key')
  })

  it('goes into the header of the pro plan on its host', () => {
    const { url, headers } = coingecko({ coingeckoUrl: 'https://pro-api.coingecko.com', coingeckoApiKey: KEY })
    expect(headers).toEqual({ 'x-cg-pro-api-key': KEY })
    expect(url).toBe('https://pro-api.coingecko.com/api/v3/simple/price?ids=ethereum&vs_currencies=usd&include_last_updated_at=true')
  })

  it('is not sent when there is none, nor to Coinbase', async () => {
    gecko.respond = sends(500, '')
    prices = create({}, null)
    await prices.get()
    expect(Object.keys(gecko.requests[0]?.headers ?? {}).filter(name => name.startsWith('x-cg'))).toEqual([])
    expect(Object.keys(base.requests[0]?.headers ?? {}).filter(name => name.startsWith('x-cg'))).toEqual([])
  })
})

describe('what never waits', () => {
  it('is null before the first price and before the first request', () => {
    expect([prices.ethUsd(), prices.last(), gecko.requests.length]).toEqual([null, null, 0])
  })

  it('is the price for ten minutes to convert with, and for ever to look at', async () => {
    await prices.get()
    clock += 10 * MINUTE - 1
    expect(prices.ethUsd()).toBe('3012.44')
    clock += 1
    expect(prices.ethUsd()).toBeNull()
    expect(prices.last()).toMatchObject({ price: '3012.44', ageSeconds: 600, stale: false })
    failBoth()
    await refusal()
    expect(prices.last()).toMatchObject({ price: '3012.44', stale: true })
  })
})

describe('start', () => {
  /** Lets the one timer that is set fire when its time has come, and waits for what follows. */
  async function fire(): Promise<number> {
    const [timer, ...others] = timers
    if (timer === undefined || others.length > 0) throw new Error(`${timers.length} timers are set`)
    timers = []
    clock = Math.max(clock, timer.dueMs)
    timer.callback()
    await settled()
    return timer.ms
  }

  /** Until the request that is under way has ended and the next timer is set. */
  const settled = () => expect.poll(() => timers.length, { interval: 1 }).toBe(1)

  it('fetches at once and keeps the price young', async () => {
    prices.start()
    await settled()
    expect(prices.ethUsd()).toBe('3012.44')
    gecko.respond = coingeckoAnswers('3500')
    expect(await fire()).toBe(MINUTE)
    expect(prices.ethUsd()).toBe('3500')
    expect(gecko.requests).toHaveLength(2)
  })

  it('asks no sooner than a minute after a price that a request waited for', async () => {
    prices.start()
    await settled()
    clock += MINUTE
    await prices.get()
    await fire()
    expect(gecko.requests).toHaveLength(2)
    expect(timers[0]?.ms).toBe(MINUTE)
  })

  it('tries again sooner while the providers fail, and less and less often', async () => {
    failBoth()
    prices.start()
    await settled()
    const pauses: number[] = []
    for (let round = 0; round < 8; round++) pauses.push((await fire()) / 1_000)
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    base.respond = coinbaseAnswers('3000.5')
    await fire()
    expect(prices.ethUsd()).toBe('3000.5')
    expect(await fire()).toBe(MINUTE)
  })
})

describe('stop', () => {
  it('ends the request in flight and counts no failure', async () => {
    let arrived = () => {}
    const arrival = new Promise<void>(resolve => {
      arrived = resolve
    })
    gecko.respond = () => arrived()
    prices.start()
    await arrival
    await prices.stop()
    expect([log, timers.length, base.requests.length]).toEqual([[], 0, 0])
  })

  it('leaves no timer', async () => {
    prices.start()
    await expect.poll(() => timers.length, { interval: 1 }).toBe(1)
    await prices.stop()
    expect(timers).toEqual([])
  })
})

function flood(response: { write(chunk: string): boolean; once(event: 'drain', listener: () => void): unknown; destroyed: boolean }): void {
  while (!response.destroyed && response.write('x'.repeat(16_384)));
  if (!response.destroyed) response.once('drain', () => flood(response))
}

function create(options: Partial<EthUsdOptions> = {}, apiKey: string | null = KEY): EthUsdFeed {
  return createEthUsd({
    onPrice: () => {},
    providers: [coingecko({ coingeckoUrl: gecko.url, coingeckoApiKey: apiKey }), coinbase({ coinbaseUrl: base.url })],
    logger: logger(),
    now: () => clock,
    epochMs: () => clock,
    schedule: (callback, ms) => {
      const timer = { callback, ms, dueMs: clock + ms }
      timers.push(timer)
      return () => {
        timers = timers.filter(other => other !== timer)
      }
    },
    timeout: () => {
      const controller = new AbortController()
      timesOut = () => controller.abort()
      return controller.signal
    },
    ...options,
  })
}

async function refusal(): Promise<unknown> {
  return prices.get().then(
    answer => Promise.reject(new Error(`got the price ${answer.price}`)),
    (error: unknown) => error,
  )
}
