import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { TokenwireError } from '#errors'
import { connectionRefused } from '#gateway/http/problem.ts'
import type { EventStreamRequest } from '#gateway/realtime/eventStreamConnection.ts'
import type { Realtime } from '#gateway/realtime/realtime.ts'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { type Gateway, type GatewayOptions, NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'

let gateway: Gateway

const PATH = `/api/tokens/${TOKEN}/stream`

/** Starts a gateway whose streams end at once, after an event that repeats what they were asked for. */
async function start(options: GatewayOptions = {}): Promise<EventStreamRequest[]> {
  const requests: EventStreamRequest[] = []
  const openEventStream: Realtime['openEventStream'] = request => {
    requests.push(request)
    request.res.cork(() => {
      request.res.writeStatus('200 OK')
      for (const [name, value] of request.headers) request.res.writeHeader(name, value)
      request.res.writeHeader('Content-Type', 'text/event-stream').end('data: {}\n\n')
    })
    return null
  }
  gateway = await startGateway({ realtime: { openEventStream }, ...options })
  return requests
}

test('hands a stream over with all that it needs', async () => {
  const requests = await start({ config: { rateLimitPerMinute: 10 } })
  const response = await gateway.get(PATH, { origin: 'http://localhost:5173', 'x-request-id': 'trace-3' })
  expect(await response.text()).toBe('data: {}\n\n')
  expect(requests).toMatchObject([
    {
      subscription: { of: 'token', token: TOKEN, lastSequence: null },
      client: { address: '127.0.0.1', key: null, keyIn: 'nowhere' },
      requestId: 'trace-3',
    },
  ])
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': 'http://localhost:5173',
    'x-request-id': 'trace-3',
    'ratelimit-remaining': '9',
    'x-content-type-options': 'nosniff',
  })
})

test('reads the last sequence from the header first, then from the query', async () => {
  const requests = await start()
  await gateway.get(`${PATH}?lastEventId=41`)
  await gateway.get(`${PATH}?lastEventId=41`, { 'last-event-id': '1795000000123' })
  expect(requests).toMatchObject([{ subscription: { lastSequence: 41 } }, { subscription: { lastSequence: 1_795_000_000_123 } }])
})

test('takes a last event id from the future for none: the client is told the state', async () => {
  const requests = await start()
  await gateway.get(PATH, { 'last-event-id': String(Date.now() + 3_600_000) })
  expect(requests).toMatchObject([{ subscription: { lastSequence: null } }])
})

/* A client that came from a gateway which was a commit ahead got the older state again, and its sequence fell. */
test('believes a last event id that another gateway gave for a newer state: the client is not told the older one', async () => {
  const requests = await start()
  await gateway.get(PATH, { 'last-event-id': '1795000000124' })
  expect(requests).toMatchObject([{ subscription: { lastSequence: 1_795_000_000_124 } }])
})

test.for([
  ['?lastEventId=', {}],
  ['?lastEventId=x', {}],
  ['?lastEventId=1&lastEventId=1', {}],
  ['', { 'last-event-id': '-1' }],
] as const)('refuses a last event id that is none of ours: %j', async ([query, headers]) => {
  await start()
  await expectProblem(await gateway.get(PATH + query, headers), 400, 'invalid_parameter')
})

test('answers 404 for a token that is not indexed and 503 when the database is away', async () => {
  await start()
  await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}/stream`), 404, 'token_not_found')
  gateway.reads.before = databaseAway
  await expectProblem(await gateway.get(PATH), 503, 'data_unavailable')
})

test('does not ask the database for a token that an actor holds', async () => {
  const requests = await start()
  gateway.conditions.actors = [
    {
      token: TOKEN,
      state: 'live',
      sequence: 1,
      subscribers: { webSocket: 1, eventStream: 0, lagging: 0 },
      lastUpdateAt: null,
      lastBlock: null,
      frameBytes: null,
      activatedAt: '2026-01-02T03:04:05.000Z',
      eventsHandled: 0,
      conflated: 0,
    },
  ]
  gateway.reads.before = databaseAway
  expect((await gateway.get(PATH)).status).toBe(200)
  expect(requests).toHaveLength(1)
})

test('answers with the problem that the stream was refused for', async () => {
  await start({ realtime: { openEventStream: () => connectionRefused({ kind: 'refused', status: 429 }) } })
  const response = await gateway.get(PATH)
  expect(response.headers.get('retry-after')).toBe('10')
  expect(await expectProblem(response, 429, 'rate_limited')).toContain('as many WebSocket and SSE connections')
})

test('answers with a problem when opening fails', async () => {
  await start({
    realtime: {
      openEventStream: () => {
        throw new TokenwireError('database_unavailable', 'gone')
      },
    },
  })
  await expectProblem(await gateway.get(PATH), 503, 'data_unavailable')
})

test('answers HEAD without opening a stream', async () => {
  const requests = await start()
  const response = await fetch(gateway.url + PATH, { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect((await fetch(`${gateway.url}/api/tokens/${NOT_INDEXED}/stream`, { method: 'HEAD' })).status).toBe(404)
  expect(requests).toEqual([])
})

test('tells the stream when its client goes, also when that is long known', async () => {
  const gone = Promise.withResolvers<EventStreamRequest>()
  const opened = Promise.withResolvers<void>()
  gateway = await startGateway({
    realtime: {
      openEventStream: request => {
        request.onAborted(() => gone.resolve(request))
        opened.resolve()
        return null
      },
    },
  })
  const client = connect(gateway.port, '127.0.0.1', () => client.write(`GET ${PATH} HTTP/1.1\r\nHost: a\r\n\r\n`))
  await opened.promise
  client.destroy()
  await once(client, 'close')
  const request = await gone.promise
  expect(request.isAborted()).toBe(true)
  let calls = 0
  request.onAborted(() => calls++)
  expect(calls).toBe(1)
})
