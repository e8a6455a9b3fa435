import { afterEach, describe, expect, it } from 'vitest'
import { problemSchema } from '#resources/problem.ts'
import { rawRequest } from '#test/gateway/listening/rawRequest.ts'
import { RecordingSubscription } from '#test/support/actors.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { RealtimeFixture } from './startRealtime.ts'

let fixture: RealtimeFixture

afterEach(() => fixture.stop())

const subscribe = (n: number) => ({ type: 'subscribe', token: addressOf(n) })

describe('messages', () => {
  it('may come in a burst of four seconds’ worth; more close the connection with 4429', async () => {
    fixture = await RealtimeFixture.start({ maxMessagesPerSecond: 10 })
    const client = await fixture.client()
    for (let n = 1; n <= 45; n++) client.send(subscribe(n))
    const { code, reason } = await client.closed
    expect({ code, reason }).toEqual({ code: 4429, reason: 'too many messages' })
    expect(client.received.filter(message => message.type === 'subscribed')).toHaveLength(40)
    expect(client.received.at(-1)).toMatchObject({ type: 'error', code: 'rate_limited' })
    expect(client.received).toHaveLength(41)
    expect(fixture.registry.health().subscribers).toBe(0)
  })

  it('may come at the rate for ever', async () => {
    fixture = await RealtimeFixture.start({ maxMessagesPerSecond: 10 })
    const client = await fixture.client()
    for (let second = 0; second < 12; second++) {
      for (let n = 1; n <= 10; n++) client.send({ type: 'unsubscribe', token: addressOf(n) })
      expect(await client.nextInShort(10)).toEqual(Array.from({ length: 10 }, () => 'unsubscribed'))
      fixture.nowMs += 1_000
    }
  })

  it('count whether they are good or not', async () => {
    fixture = await RealtimeFixture.start({ maxMessagesPerSecond: 2 })
    const client = await fixture.client()
    for (let n = 0; n < 9; n++) client.send('nonsense')
    expect((await client.closed).code).toBe(4429)
    expect(client.received).toHaveLength(9)
  })
})

describe('subscriptions', () => {
  it('are limited per connection', async () => {
    fixture = await RealtimeFixture.start({ maxSubscriptionsPerConnection: 2 })
    const client = await fixture.client()
    for (const n of [1, 2, 3]) client.send(subscribe(n))
    await eventually(() => client.received.length === 3)
    expect(client.received.find(message => message.type === 'error')).toMatchObject({ code: 'too_many_subscriptions', token: addressOf(3) })
    expect(fixture.registry.health().subscribers).toBe(2)
    expect(await client.settle()).toHaveLength(3)
    client.send(subscribe(2))
    expect(await client.nextInShort(1)).toEqual(['subscribed null'])
    client.send({ type: 'unsubscribe', token: addressOf(1) })
    client.send(subscribe(3))
    expect(await client.nextInShort(2)).toEqual(['unsubscribed', 'subscribed null'])
  })
})

describe('connections', () => {
  it('are limited per address, with 429 and a time to come back', async () => {
    fixture = await RealtimeFixture.start({ maxConnectionsPerIp: 2 })
    const first = await fixture.client()
    await fixture.client()
    const { status, headers, body } = await fixture.refusedClient().refused
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(problemSchema.parse(body)).toMatchObject({ status: 429, code: 'rate_limited', requestId: headers.get('x-request-id') })
    first.socket.close()
    await first.closed
    await eventually(() => fixture.realtime.report().webSocketConnections === 1)
    await fixture.client()
  })

  it('are limited in all, with 503', async () => {
    fixture = await RealtimeFixture.start({ maxConnections: 1 })
    await fixture.client()
    const { status, headers, body } = await fixture.refusedClient().refused
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(problemSchema.parse(body).code).toBe('data_unavailable')
  })

  it('count event streams and WebSockets together', async () => {
    fixture = await RealtimeFixture.start({ maxConnectionsPerIp: 1 })
    fixture.store(addressOf(1), 7)
    const client = await fixture.client()
    fixture.registry.subscribe(addressOf(1), new RecordingSubscription())
    await eventually(() => fixture.registry.get(addressOf(1))?.sequence === 7)
    const refused = await fixture.gateway.get(`/api/tokens/${addressOf(1)}/stream`)
    expect(refused.status).toBe(429)
    client.socket.close()
    await eventually(() => fixture.realtime.report().webSocketConnections === 0)
    const abort = new AbortController()
    const stream = await fetch(`${fixture.gateway.url}/api/tokens/${addressOf(1)}/stream`, { signal: abort.signal })
    expect(stream.status).toBe(200)
    expect((await fixture.refusedClient().refused).status).toBe(429)
    abort.abort()
    await eventually(() => fixture.realtime.report().eventStreams === 0)
    await fixture.client()
  })
})

describe('origins', () => {
  it.each([
    ['http://localhost:5173', true],
    ['https://app.example.com', true],
    ['https://example.org', false],
    ['https://app.example.com.evil.org', false],
    ['null', false],
  ])('%s: let in is %s', async (origin, isLetIn) => {
    fixture = await RealtimeFixture.start()
    if (isLetIn) {
      await fixture.client({ origin })
      return
    }
    const { status, headers, body } = await fixture.refusedClient({ origin }).refused
    expect(status).toBe(403)
    expect(problemSchema.parse(body)).toMatchObject({ code: 'origin_not_allowed', requestId: headers.get('x-request-id') })
    expect(fixture.realtime.report().webSocketConnections).toBe(0)
  })

  it('may be missing, unless they are required', async () => {
    fixture = await RealtimeFixture.start({ requireOrigin: true })
    expect((await fixture.refusedClient().refused).status).toBe(403)
    await fixture.client({ origin: 'http://localhost:5173' })
  })
})

describe('the address', () => {
  it('answers 426 to a request that is no upgrade', async () => {
    fixture = await RealtimeFixture.start()
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`${fixture.gateway.url}/realtime`, { method })
      expect(response.status).toBe(426)
      expect(response.headers.get('upgrade')).toBe('websocket')
    }
  })

  // RFC 6455, section 4.4: a version that the server does not speak was accepted.
  it.each(['', 'Sec-WebSocket-Version: 12\r\n', 'Sec-WebSocket-Version: 8, 13\r\n'])('answers 426 to an upgrade with %j', async version => {
    fixture = await RealtimeFixture.start()
    const answer = await rawRequest(
      Number(new URL(fixture.gateway.url).port),
      `GET /realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${version}\r\n` +
        'GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 426 /)
    expect(answer).toContain('Sec-WebSocket-Version: 13\r\n')
    expect(fixture.realtime.report().webSocketConnections).toBe(0)
  })

  it('has no WebSocket beside it', async () => {
    fixture = await RealtimeFixture.start()
    const response = await fetch(`${fixture.gateway.url}/realtime/x`)
    expect(response.status).toBe(404)
  })
})
