import { expect, test } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { rawRequest } from '#test/gateway/listening/rawRequest.ts'
import { startGateway, TOKEN } from '#test/gateway/startGateway.ts'

const gateway = await startGateway({ config: { operatorToken: 't0p-secret' } })

test('limits requests per client and says how many are left on every answer', async () => {
  const gateway = await startGateway({ config: { rateLimitPerMinute: 3 } })
  const paths = ['/api/tokens', '/nowhere', `/api/tokens/${TOKEN}/stream?lastEventId=x`]
  for (const [index, path] of paths.entries()) {
    const { headers } = await gateway.get(path)
    expect(headers.get('ratelimit-limit')).toBe('3')
    expect(headers.get('ratelimit-remaining')).toBe(String(2 - index))
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0)
  }
  const refused = await gateway.get('/api/tokens')
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'))
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(await expectProblem(refused, 429, 'rate_limited')).toBe('one address may make 3 requests per minute')
})

test('never limits health probes and preflights', async () => {
  const gateway = await startGateway({ config: { rateLimitPerMinute: 1 } })
  for (const path of ['/healthz', '/readyz', '/healthz', '/readyz']) {
    const response = await gateway.get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('ratelimit-limit')).toBeNull()
  }
  expect((await fetch(`${gateway.url}/api/tokens`, { method: 'OPTIONS' })).status).toBe(204)
  expect((await gateway.get('/api/tokens')).status).toBe(200)
  expect((await gateway.get('/api/tokens')).status).toBe(429)
})

test('has no limit when RATE_LIMIT_PER_MINUTE is 0', async () => {
  const gateway = await startGateway({ config: { rateLimitPerMinute: 0 } })
  expect((await gateway.get('/api/tokens')).headers.get('ratelimit-limit')).toBeNull()
})

test('counts clients behind one trusted proxy apart, and an invented entry not at all', async () => {
  const gateway = await startGateway({ config: { rateLimitPerMinute: 1, trustProxy: 1 } })
  const status = async (forwarded: string) => (await gateway.get('/api/tokens', { 'x-forwarded-for': forwarded })).status
  expect(await status('203.0.113.1')).toBe(200)
  expect(await status('203.0.113.2')).toBe(200)
  expect(await status('198.51.100.9, 203.0.113.1')).toBe(429)
  expect(await status('2001:db8:1:2::1')).toBe(200)
  expect(await status('[2001:db8:1:2:ffff::9]:4711')).toBe(429)
  expect(await status('2001:db8:1:3::1')).toBe(200)
})

test('believes the line that the proxy added when a client sent one of its own', async () => {
  const gateway = await startGateway({ config: { trustProxy: 1 } })
  await rawRequest(
    gateway.port,
    'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.9.9.9\r\nX-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n\r\n',
  )
  expect(gateway.log.at(-1)).toMatchObject({ path: '/healthz', clientAddress: '203.0.113.7' })
})

test('ignores X-Forwarded-For without a trusted proxy and warns once', async () => {
  const gateway = await startGateway({ config: { rateLimitPerMinute: 2 } })
  for (const forwarded of ['203.0.113.1', '203.0.113.2']) {
    expect((await gateway.get('/api/tokens', { 'x-forwarded-for': forwarded })).status).toBe(200)
  }
  expect((await gateway.get('/api/tokens', { 'x-forwarded-for': '203.0.113.3' })).status).toBe(429)
  expect(gateway.log.filter(line => line.level === 40)).toMatchObject([
    { peer: '127.0.0.1', msg: expect.stringContaining('TRUST_PROXY is 0') },
  ])
})

test.for(['/metrics', '/api/indexer/health/actors', `/api/indexer/health/actors/${TOKEN}`])(
  'keeps %s for those with the operator token',
  async path => {
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic t0p-secret' },
      { authorization: 'Bearer t0p-secret2' },
    ]) {
      const response = await gateway.get(path, headers)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(await expectProblem(response, 401, 'unauthorized')).not.toContain('t0p-secret')
    }
    expect([200, 404]).toContain((await gateway.get(path, { authorization: 'bearer t0p-secret' })).status)
  },
)

test('gives the metrics as the registry has them', async () => {
  const gateway = await startGateway()
  const response = await gateway.get('/metrics')
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await response.text()).toBe('tokenwire_up 1\n')
})

test('closes operator routes without a token when the host is not loopback', async () => {
  const gateway = await startGateway({ config: { host: '0.0.0.0' } })
  expect(gateway.url).toBe(`http://127.0.0.1:${gateway.port}`)
  await expectProblem(await gateway.get('/metrics'), 403, 'unauthorized')
})

test.for([
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Anything',
  'Forwarded',
  'Via',
  'X-Real-IP',
  'CF-Ray',
  'CF-Connecting-IP',
  'True-Client-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'Fastly-Client-IP',
])('closes operator routes without OPERATOR_TOKEN to a request with %s', async name => {
  for (const operatorLoopbackOpen of [true, false]) {
    const gateway = await startGateway({ config: { operatorLoopbackOpen }, localToken: 'local' })
    for (const value of ['203.0.113.1', ''])
      await expectProblem(await gateway.get('/metrics', { authorization: 'Bearer local', [name]: value }), 403, 'unauthorized')
    expect((await gateway.get('/metrics', { authorization: 'Bearer local', 'x-request-id': 'a', accept: '*/*' })).status).toBe(200)
    expect((await gateway.get('/api/tokens', { [name]: '203.0.113.1' })).status).toBe(200)
    if (operatorLoopbackOpen) await gateway.close()
  }
})

test('with OPERATOR_TOKEN lets in through a proxy who has it', async () => {
  const headers = { authorization: 'Bearer t0p-secret', 'x-forwarded-for': '203.0.113.1', via: '1.1 proxy' }
  expect((await gateway.get('/metrics', headers)).status).toBe(200)
})
