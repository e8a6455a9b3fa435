import { afterEach, describe, expect, it } from 'vitest'
import { unwrap } from '#client/clientError.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import { operatorCalls } from '#client/operator.ts'
import { items } from '#client/rest/calls.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf, holdersOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { SimulatedClock } from './simulatedClock.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

describe('against the real gateway', () => {
  async function start(options: Parameters<typeof startGateway>[0] = {}) {
    const gateway = await startGateway(options)
    const client = createTokenwire({ url: `${gateway.url}/`, retries: 0 })
    open.push(client, gateway)
    return { gateway, client }
  }

  it('returns the values of every route', async () => {
    const { gateway, client } = await start()
    gateway.reads.stored.holders.set(TOKEN, [...holdersOf(3)])
    gateway.reads.stored.trades.push(tradeOf(TOKEN))
    gateway.reads.stored.candles.set(TOKEN, [{ time: 60, open: '1', high: '2', low: '1', close: '2', volume: '3', trades: 4 }])
    expect(unwrap(await client.token(TOKEN)).market.priceUsd).toBe('0.00003702')
    expect(unwrap(await client.tokens({ sort: 'marketCap', order: 'asc', addresses: [TOKEN, NOT_INDEXED] })).data).toHaveLength(1)
    expect(unwrap(await client.tokens({ status: 'migrated' })).data).toEqual([])
    expect(unwrap(await client.trades(TOKEN, { side: 'buy', fromBlock: 456 })).data[0]?.id).toBe('456-12')
    expect(unwrap(await client.holders(TOKEN, { excludeType: ['pool', 'curve'] })).data).toHaveLength(3)
    expect(unwrap(await client.candles(TOKEN, { interval: '1m', fill: true, currency: 'weth' })).data[0]?.close).toBe('2')
    expect(unwrap(await client.claimable(TOKEN, addressOf(2))).claimable).toEqual([])
    expect(unwrap(await client.marketTrades({ order: 'asc', after: '456-0', tokens: [TOKEN] })).data).toHaveLength(1)
    expect(unwrap(await client.walletTrades(addressOf(2), { side: 'sell' })).asOfBlock).toBe('456')
    expect(unwrap(await client.distribution(TOKEN)).holderCount).toBe(3)
    expect(unwrap(await client.launchpads()).data).toEqual([])
    expect(unwrap(await client.traders(TOKEN, { sort: 'volume', limit: 5 })).data).toEqual([])
    expect(unwrap(await client.wallet(addressOf(2))).tokensHeld).toBe(0)
    expect(unwrap(await client.holdings(addressOf(2), { sort: 'lastChanged' })).data).toEqual([])
    expect(unwrap(await client.claims(addressOf(2))).data).toEqual([])
    expect(unwrap(await client.search('alp', { limit: 5 })).data[0]?.symbol).toBe('ALP')
    expect(unwrap(await client.ethUsd()).price).toBe('3000')
    expect(unwrap(await client.chainStats()).tokens).toBe(812)
    expect(unwrap(await client.health()).status).toBe('ok')
    expect(unwrap(await operatorCalls(client).actors({ sort: 'sequence' })).data).toEqual([])
    expect(unwrap(await operatorCalls(client).processes()).data).toEqual([])
  })

  it('returns failures as values with a code', async () => {
    const { gateway, client } = await start({ config: { operatorToken: 'a-very-secret-token-of-32-letters' } })
    expect(await client.token(NOT_INDEXED)).toMatchObject({
      ok: false,
      error: { code: 'not_found', status: 404, problem: { code: 'token_not_found' } },
    })
    expect(await client.token('../../metrics')).toMatchObject({ ok: false, error: { code: 'rejected', status: 400 } })
    expect(await client.trades(TOKEN, { limit: 10_000 })).toMatchObject({
      ok: false,
      error: { code: 'rejected', problem: { code: 'invalid_parameter' } },
    })
    expect(await operatorCalls(client).actors()).toMatchObject({ ok: false, error: { code: 'rejected', status: 401 } })
    expect(await operatorCalls(client).actors({}, { operatorToken: 'a-very-secret-token-of-32-letters' })).toMatchObject({ ok: true })
    gateway.conditions.price = null
    expect(await client.ethUsd()).toMatchObject({
      ok: false,
      error: { code: 'unavailable', status: 503, problem: { code: 'price_unavailable' }, retryAfterMs: 5_000 },
    })
    expect(() => unwrap({ ok: false, error: new Error('x') as never })).toThrow('x')
  })

  it('returns the health of a stalled indexer as a value', async () => {
    const { gateway, client } = await start()
    gateway.conditions.indexer = { ...gateway.conditions.indexer, stalled: true, reason: 'nothing moves' }
    expect(unwrap(await client.health())).toMatchObject({ status: 'stalled', reasons: ['nothing moves'] })
  })

  it('sends no request during a long pause that the server asked for', async () => {
    const { gateway, client } = await start({ config: { rateLimitPerMinute: 2 } })
    await client.token(TOKEN)
    await client.token(TOKEN)
    expect(await client.token(TOKEN)).toMatchObject({ ok: false, error: { code: 'rate_limited', status: 429 } })
    const requests = gateway.log.length
    const { ok, error } = (await client.chainStats()) as { ok: false; error: { code: string; retryAfterMs: number } }
    expect({ ok, code: error.code }).toEqual({ ok: false, code: 'rate_limited' })
    expect(error.retryAfterMs).toBeGreaterThan(10_000)
    expect(gateway.log.length).toBe(requests)
  })

  it('reads a list page by page', async () => {
    const { gateway, client } = await start()
    gateway.reads.stored.trades.push(
      ...Array.from({ length: 25 }, (_, index) => ({ ...tradeOf(TOKEN), logIndex: index, id: `456-${index}` })),
    )
    const ids: string[] = []
    for await (const trade of items(at => client.trades(TOKEN, { order: 'asc', limit: 10, ...at }))) ids.push(trade.id)
    expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => `456-${index}`))
    await expect(items(at => client.trades(NOT_INDEXED, at)).next()).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('in simulated time', () => {
  type Reply = Response | Error | 'silence'
  const answer = () => Response.json(tokenOf(TOKEN, 1))
  const limited = (after: string) => Response.json({}, { status: 429, headers: { 'retry-after': after } })

  function start(replies: readonly Reply[], options: Partial<Parameters<typeof createTokenwire>[0]> = {}) {
    const clock = new SimulatedClock()
    const asked: { atMs: number; url: string; signal: AbortSignal | null | undefined }[] = []
    const left = [...replies]
    const client = createTokenwire({
      url: 'http://service.test/base/',
      clock,
      random: () => 0.5,
      fetch: async (url, init) => {
        asked.push({ atMs: clock.now(), url: new Request(url).url, signal: init?.signal })
        const reply = left.shift() ?? answer()
        if (reply instanceof Error) throw reply
        if (reply !== 'silence') return reply
        return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))))
      },
      ...options,
    })
    open.push(client)
    return { clock, asked, client }
  }

  async function result<T>(clock: SimulatedClock, call: Promise<T>, ms = 60_000): Promise<T> {
    await clock.advance(ms)
    return call
  }

  it('keeps the path of the base address', async () => {
    const { asked, client } = start([])
    await client.token(TOKEN)
    expect(asked[0]?.url).toBe(`http://service.test/base/api/tokens/${TOKEN}`)
  })

  // A page that is rendered by a server is no page there: the module that makes the client is loaded all the same.
  it('is made for a relative address where there is no page, and for no other address than of HTTP', async () => {
    const { asked, client } = start([], { url: '/base/' })
    expect(await client.token(TOKEN, { retries: 0 })).toMatchObject({ ok: false, error: { code: 'network' } })
    expect(asked).toEqual([])
    for (const url of ['localhost:3000', 'ws://service.test', 'https://', 'nothing']) {
      expect(() => createTokenwire({ url })).toThrow(TypeError)
    }
  })

  it('asks Next.js to keep no answer', async () => {
    const kept: unknown[] = []
    const { client } = start([], {
      fetch: async (_, init) => {
        kept.push((init as { next?: unknown }).next)
        return answer()
      },
    })
    await client.token(TOKEN)
    expect(kept).toEqual([{ revalidate: 0 }])
  })

  it('retries after growing pauses, then gives up', async () => {
    const { clock, asked, client } = start(
      Array.from({ length: 9 }, (_, index) => (index % 2 ? new TypeError('no route') : new Response('', { status: 502 }))),
    )
    expect(await result(clock, client.token(TOKEN, { retries: 3 }))).toMatchObject({ ok: false, error: { code: 'network' } })
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1_750])
  })

  it('waits as long as the server asks, and holds back all calls', async () => {
    const { clock, asked, client } = start([limited('3')])
    const first = client.token(TOKEN)
    await clock.advance(100)
    const second = client.token(TOKEN)
    expect(await result(clock, Promise.all([first, second]))).toMatchObject([{ ok: true }, { ok: true }])
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 3_125, 3_125])
  })

  it('fails with the pause when the server asks for minutes', async () => {
    const { clock, asked, client } = start([limited('60')])
    expect(await client.token(TOKEN)).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: 60_000 } })
    await clock.advance(45_000)
    expect(await client.token(TOKEN)).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: 15_000 } })
    await clock.advance(15_001)
    expect(await client.token(TOKEN)).toMatchObject({ ok: true })
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['a body that is not JSON', () => new Response('<html>'), ''],
    ['another shape', () => Response.json({ ...tokenOf(TOKEN, 1), sequence: '1' }), 'sequence'],
    ['no content', () => new Response(null, { status: 204 }), ''],
  ])('reports %s as an invalid answer and does not retry', async (_, reply, path) => {
    const { clock, asked, client } = start([reply()])
    expect(await result(clock, client.token(TOKEN))).toMatchObject({ ok: false, error: { code: 'invalid_answer', path } })
    expect(asked).toHaveLength(1)
  })

  it('aborts a request that is not answered in time', async () => {
    const { clock, asked, client } = start(['silence', 'silence'])
    expect(await result(clock, client.token(TOKEN, { timeoutMs: 1_000, retries: 1 }))).toMatchObject({
      ok: false,
      error: { code: 'timeout' },
    })
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, true])
  })

  // As React Native's does, where a signal is not heard: the call, and a list that is polled, stood still for ever.
  it('ends a call in time where `fetch` hears of no abort', async () => {
    const { clock, client } = start([], { retries: 0, fetch: () => new Promise(() => undefined) })
    const late = client.token(TOKEN, { timeoutMs: 1_000 })
    expect(await result(clock, late, 1_000)).toMatchObject({ ok: false, error: { code: 'timeout' } })
    const aborter = new AbortController()
    const aborted = client.token(TOKEN, { signal: aborter.signal })
    const closed = client.token(TOKEN)
    await clock.advance(0)
    aborter.abort()
    expect(await aborted).toMatchObject({ ok: false, error: { code: 'aborted' } })
    client.close()
    expect(await closed).toMatchObject({ ok: false, error: { code: 'closed' } })
  })

  it('ends an aborted call at once: in flight, in a pause, in line', async () => {
    const { clock, asked, client } = start([limited('5'), ...Array<Reply>(6).fill('silence')])
    const aborter = new AbortController()
    const { signal } = aborter
    const calls: ReturnType<Tokenwire['token']>[] = [client.token(TOKEN, { signal })]
    await clock.advance(0)
    const pausing = client.token(TOKEN, { signal })
    await clock.advance(0)
    aborter.abort()
    expect(await Promise.all([...calls, pausing])).toMatchObject([{ error: { code: 'aborted' } }, { error: { code: 'aborted' } }])
    await clock.advance(6_000)
    const another = new AbortController()
    for (let n = 0; n < 8; n++) calls.push(client.token(TOKEN, { signal: another.signal }))
    await clock.advance(0)
    expect(asked).toHaveLength(7)
    another.abort()
    for (const call of calls) expect(await call).toMatchObject({ ok: false, error: { code: 'aborted' } })
    expect(clock.waiting).toBe(0)
    expect(await client.token(TOKEN)).toMatchObject({ ok: true })
  })

  it('ends all waiting calls when the server asks for a long pause', async () => {
    const { clock, asked, client } = start(Array.from({ length: 20 }, () => limited('60')))
    const calls = Array.from({ length: 20 }, () => client.token(TOKEN))
    await clock.advance(1)
    const ended = await Promise.race([Promise.all(calls), clock.advance(20).then(() => null)])
    expect(ended?.map(result => !result.ok && result.error.code)).toEqual(Array(20).fill('rate_limited'))
    expect(asked.length).toBeLessThan(10)
  })

  it('has at most six requests in flight', async () => {
    const { clock, asked, client } = start(Array<Reply>(6).fill('silence'), { timeoutMs: 1_000, retries: 0 })
    const calls = Array.from({ length: 20 }, () => client.token(TOKEN))
    await clock.advance(999)
    expect(asked).toHaveLength(6)
    expect((await result(clock, Promise.all(calls))).filter(({ ok }) => ok)).toHaveLength(14)
  })
})
