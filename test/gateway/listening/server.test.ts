import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { eventually } from '#test/support/eventually.ts'
import { rawRequest } from './rawRequest.ts'

/** Whose time stands still, so that answers about it are the same. */
const gateway = await startGateway({ now: () => 5_000 })

const PATHS = [
  '/api/tokens',
  `/api/tokens/${TOKEN}`,
  `/api/tokens/${TOKEN}/trades`,
  `/api/tokens/${TOKEN}/holders`,
  `/api/tokens/${TOKEN}/candles`,
  `/api/tokens/${TOKEN}/claimable?creator=${TOKEN}`,
  '/api/search?q=alp',
  '/api/market/eth-usd',
  '/api/chain-stats',
  '/api/indexer/health',
  '/api/indexer/health/actors',
  '/healthz',
  '/readyz',
  '/metrics',
]

/** Headers that differ from one request to the next by their nature. */
function stable(headers: Headers): Record<string, string> {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers)
  return rest
}

test.for(PATHS)('answers HEAD of %s with the headers of GET and no body', async path => {
  // The client would hide the length of a compressed body.
  const headers = { 'accept-encoding': 'identity' }
  const get = await gateway.get(path, headers)
  const head = await fetch(gateway.url + path, { method: 'HEAD', headers })
  expect(head.status).toBe(200)
  expect(stable(head.headers)).toEqual(stable(get.headers))
  expect(Number(head.headers.get('content-length'))).toBe((await get.arrayBuffer()).byteLength)
  expect(await head.text()).toBe('')
})

test.for([
  [`/api/tokens/${TOKEN}`, 'private, no-cache'],
  ['/api/chain-stats', 'private, max-age=5'],
  ['/api/indexer/health', 'no-store'],
  ['/readyz', 'no-store'],
] as const)('says how long %s may be kept', async ([path, cacheControl]) => {
  expect((await gateway.get(path)).headers.get('cache-control')).toBe(cacheControl)
})

test('answers problems to HEAD without a body but with their length', async () => {
  const head = await fetch(`${gateway.url}/nowhere`, { method: 'HEAD' })
  expect(head.status).toBe(404)
  expect(head.headers.get('content-type')).toBe('application/problem+json')
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100)
})

test('keeps a connection alive after HEAD, 304, OPTIONS and problems', async () => {
  const host = 'Host: a\r\n'
  const tag = (await gateway.get(`/api/tokens/${TOKEN}`, { 'accept-encoding': 'identity' })).headers.get('etag')
  const answer = await rawRequest(
    gateway.port,
    `HEAD /api/tokens HTTP/1.1\r\n${host}\r\n` +
      `GET /api/tokens/${TOKEN} HTTP/1.1\r\n${host}If-None-Match: ${tag}\r\n\r\n` +
      `OPTIONS /api/tokens HTTP/1.1\r\n${host}\r\n` +
      `GET /nowhere HTTP/1.1\r\n${host}\r\n` +
      `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  )
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 304', 'HTTP/1.1 204', 'HTTP/1.1 404', 'HTTP/1.1 200'])
})

test.for(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get'])('answers %s with 405 and what is allowed', async method => {
  const answer = await rawRequest(
    gateway.port,
    `${method} /api/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/)
  expect(answer).toContain('\r\nAllow: GET, HEAD, OPTIONS\r\n')
  expect(answer).toContain(`"code":"method_not_allowed"`)
})

test.for([
  '/',
  '/api',
  '/api/tokens/',
  '/api//tokens',
  '/API/TOKENS',
  '/api/tokens/../healthz',
  `/api/tokens/${TOKEN}/`,
  `/api/tokens/${TOKEN}/orders`,
])('answers 404 for %s', async path => {
  const answer = await rawRequest(gateway.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/)
  expect(answer).toContain('"code":"not_found"')
})

test('says of the WebSocket address that it is for upgrades', async () => {
  const response = await gateway.get('/realtime')
  expect(response.headers.get('upgrade')).toBe('websocket')
  await expectProblem(response, 426, 'upgrade_required')
  const head = await rawRequest(gateway.port, 'HEAD /realtime HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/)
})

test('refuses a path with broken percent-encoding', async () => {
  const answer = await rawRequest(gateway.port, 'GET /api/tokens/0x%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(answer).toContain('the path must be percent-encoded UTF-8')
})

test('ignores the body of a GET', async () => {
  const answer = await rawRequest(
    gateway.port,
    `GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{"a":1}GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
})

test.for([
  ['a URL of 100 KB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ['a header of 100 KB', `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`, 431],
  ['a thousand headers', `GET /healthz HTTP/1.1\r\nHost: a\r\n${'X-A: b\r\n'.repeat(1_000)}\r\n`, 431],
  ['a missing Host', 'GET /healthz HTTP/1.1\r\nX-A: b\r\n\r\n', 400],
  ['two framings of the body', 'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n', 505],
  ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n', 505],
] as const)('survives %s', async ([, request, status]) => {
  expect(await rawRequest(gateway.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect((await gateway.get('/healthz')).status).toBe(200)
})

test('takes a URL of 12 KB', async () => {
  expect((await gateway.get(`/healthz?unknown=${'a'.repeat(12_000)}`)).status).toBe(200)
})

test('answers a reader that is slower than the network byte for byte', async () => {
  const body = `${'0123456789abcdef'.repeat(1_000_000)}\n`
  const gateway = await startGateway({ metrics: { render: async () => body } })
  // fetch reads nothing of a body until it is asked to: 16 MB wait in the server meanwhile.
  const response = await gateway.get('/metrics')
  await gateway.get('/healthz')
  const received = await response.text()
  expect(received.length).toBe(body.length)
  expect(received === body).toBe(true)
})

test('gives every request an id: its own when that is sane, else a new one', async () => {
  const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  const idFor = async (given: string) => (await gateway.get('/healthz', { 'x-request-id': given })).headers.get('x-request-id')
  expect(await idFor('0af7651916cd43dd8448eb211c80319c')).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(await idFor('a b')).toMatch(uuid)
  expect(await idFor('x'.repeat(129))).toMatch(uuid)
  expect(await idFor('')).toMatch(uuid)
})

test('answers 503 while the database is away and is itself again afterwards', async () => {
  const gateway = await startGateway()
  gateway.reads.before = databaseAway
  const paths = PATHS.filter(path => path.startsWith('/api/') && !path.includes('eth-usd') && !path.includes('health'))
  for (const path of paths) {
    const detail = await expectProblem(await gateway.get(path), 503, 'data_unavailable')
    expect(detail).toBe('the database does not answer; nothing can be served without it')
  }
  gateway.reads.before = async () => {}
  for (const path of paths) expect((await gateway.get(path)).status).toBe(200)
})

test('tells nothing of an unexpected error but logs it once, with its stack and the request id', async () => {
  const gateway = await startGateway()
  gateway.reads.before = async () => {
    throw new RangeError('relation "token" of postgresql://tokenwire:hunter2@db is gone')
  }
  const response = await gateway.get('/api/tokens?sort=holders', { 'x-request-id': 'trace-1', authorization: 'Bearer s3cret' })
  expect(await expectProblem(response, 500, 'internal')).not.toMatch(/relation|hunter2|RangeError/)
  const errors = gateway.log.filter(line => line.level === 50)
  expect(errors).toHaveLength(1)
  expect(errors[0]).toMatchObject({
    requestId: 'trace-1',
    method: 'GET',
    path: '/api/tokens',
    err: { type: 'RangeError', stack: expect.stringContaining('server.test.ts') },
  })
  expect(JSON.stringify(gateway.log)).not.toContain('s3cret')
})

test('logs an answer at debug, without query and credentials', async () => {
  const gateway = await startGateway({ now: () => 1 })
  await gateway.get('/api/tokens?creator=secret', { authorization: 'Bearer s3cret', 'x-request-id': 'trace-2' })
  expect(gateway.log.at(-1)).toMatchObject({
    level: 20,
    requestId: 'trace-2',
    method: 'GET',
    path: '/api/tokens',
    status: 400,
    durationMs: 0,
    clientAddress: '127.0.0.1',
  })
  expect(JSON.stringify(gateway.log)).not.toContain('secret')
})

test('reports each answer with the pattern of its route', async () => {
  const answered: unknown[] = []
  const gateway = await startGateway({ now: () => 1, metrics: { observeRequest: request => answered.push(request) } })
  await gateway.get(`/api/tokens/${TOKEN}`)
  await gateway.get('/nowhere/else')
  await fetch(`${gateway.url}/healthz`, { method: 'BREW' })
  expect(answered).toEqual([
    { method: 'GET', route: '/api/tokens/:address', status: 200, durationMs: 0 },
    { method: 'GET', route: null, status: 404, durationMs: 0 },
    { method: 'other', route: null, status: 405, durationMs: 0 },
  ])
})

test('survives metrics that fail', async () => {
  const gateway = await startGateway({
    metrics: {
      observeRequest() {
        throw new Error('no such label')
      },
    },
  })
  for (let n = 0; n < 2; n++) expect((await gateway.get('/healthz')).status).toBe(200)
  expect(gateway.log.filter(line => line.level === 50)).toMatchObject([
    { err: { message: 'no such label' } },
    { err: { message: 'no such label' } },
  ])
})

test('survives a client that goes away while its query runs', async () => {
  const statuses: number[] = []
  const gateway = await startGateway({ metrics: { observeRequest: ({ status }) => statuses.push(status) } })
  const leaveOnce = async () => {
    const asked = Promise.withResolvers<void>()
    const query = Promise.withResolvers<void>()
    gateway.reads.before = () => {
      asked.resolve()
      return query.promise
    }
    const client = connect(gateway.port, '127.0.0.1', () => client.write('GET /api/tokens HTTP/1.1\r\nHost: a\r\n\r\n'))
    await asked.promise
    client.destroy()
    await once(client, 'close')
    await gateway.get('/healthz')
    query.resolve()
    await new Promise(setImmediate)
    return statuses.includes(499)
  }
  // The kernel tells the server of the end of that connection before it tells of the other request, as a rule.
  await eventually(leaveOnce)
  expect((await gateway.get('/healthz')).status).toBe(200)
})
