import { expect, test } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { NOT_INDEXED, startGateway, TOKEN } from '#test/gateway/startGateway.ts'

const gateway = await startGateway()

const ALLOWED = 'https://app.example.com'
const FOREIGN = 'https://example.org'

test('lets a page of an allowed origin read answers, problems and their headers', async () => {
  for (const path of ['/api/tokens', `/api/tokens/${NOT_INDEXED}`, '/nowhere']) {
    const { headers } = await gateway.get(path, { origin: ALLOWED })
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED)
    expect(headers.get('access-control-expose-headers')).toBe(
      'ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id',
    )
    expect(headers.get('vary')).toBe('Origin, Accept-Encoding')
  }
})

test('answers a page of another origin without letting it read, and a request without an origin plainly', async () => {
  const gateway = await startGateway({ config: { requireOrigin: true } })
  for (const headers of [{ origin: FOREIGN }, { origin: 'null' }, {}]) {
    const response = await gateway.get('/api/tokens', headers)
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('vary')).toBe('Origin, Accept-Encoding')
  }
})

test('lets pages of any origin read when ALLOWED_ORIGINS is *', async () => {
  const gateway = await startGateway({ config: { allowedOrigins: ['*'] } })
  for (const origin of [FOREIGN, 'null']) {
    expect((await gateway.get('/api/tokens', { origin })).headers.get('access-control-allow-origin')).toBe('*')
  }
})

test('answers the preflight of an allowed origin', async () => {
  const response = await fetch(`${gateway.url}/api/tokens`, {
    method: 'OPTIONS',
    headers: { origin: ALLOWED, 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' },
  })
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  expect(response.headers.get('vary')).toContain('Access-Control-Request-Headers')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'access-control-allow-origin': ALLOWED,
    allow: 'GET, HEAD, OPTIONS',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': expect.stringContaining('If-None-Match'),
    'access-control-max-age': '7200',
  })
})

// A page with a tracer of Sentry or OpenTelemetry could read nothing: these add a header to each request, and the preflight refused it.
test.for(['traceparent,tracestate', 'baggage, sentry-trace', 'x-api-key', 'x-datadog-trace-id', 'a'.repeat(1_000)])(
  'lets a page send %s',
  async requested => {
    const preflight = (names: string) =>
      fetch(`${gateway.url}/api/tokens`, {
        method: 'OPTIONS',
        headers: { origin: ALLOWED, 'access-control-request-method': 'GET', 'access-control-request-headers': names },
      })
    const allowed = (await preflight(requested)).headers.get('access-control-allow-headers')?.split(/, ?/)
    expect(allowed).toEqual(expect.arrayContaining(requested.split(/, ?/)))
    expect((await preflight('no header; <b>')).headers.get('access-control-allow-headers')).not.toContain('<')
  },
)

test('refuses the preflight and the event stream of another origin', async () => {
  const options = await fetch(`${gateway.url}/api/tokens`, { method: 'OPTIONS', headers: { origin: FOREIGN } })
  expect(await expectProblem(options, 403, 'origin_not_allowed')).toBe('pages of "https://example.org" may not use this server')
  await expectProblem(await gateway.get(`/api/tokens/${TOKEN}/stream`, { origin: FOREIGN }), 403, 'origin_not_allowed')
})

test('answers OPTIONS of an unknown path with 404', async () => {
  await expectProblem(await fetch(`${gateway.url}/nowhere`, { method: 'OPTIONS' }), 404, 'not_found')
})

test('keeps browsers from taking an answer for a page', async () => {
  for (const path of ['/api/tokens', '/nowhere']) {
    expect(Object.fromEntries((await gateway.get(path)).headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    })
  }
})

test('answers 304 without a body as long as the answer is the same', async () => {
  const gateway = await startGateway()
  const first = await gateway.get(`/api/tokens/${TOKEN}`, { origin: ALLOWED })
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[\w-]{27}-(?:gzip|br)"$/)
  for (const ifNoneMatch of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const second = await gateway.get(`/api/tokens/${TOKEN}`, { 'if-none-match': ifNoneMatch, origin: ALLOWED })
    expect(second.status).toBe(304)
    expect(await second.text()).toBe('')
    expect(Object.fromEntries(second.headers)).toMatchObject({
      etag: tag,
      'cache-control': 'private, no-cache',
      vary: 'Origin, Accept-Encoding',
      'access-control-allow-origin': ALLOWED,
    })
  }
  gateway.conditions.price = null
  const changed = await gateway.get(`/api/tokens/${TOKEN}`, { 'if-none-match': tag })
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(tag)
})

test('never answers a problem with 304', async () => {
  const gateway = await startGateway()
  await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}`, { 'if-none-match': '*' }), 404, 'token_not_found')
  gateway.conditions.indexer = { ...gateway.conditions.indexer, stalled: true }
  expect((await gateway.get('/api/indexer/health', { 'if-none-match': '*' })).status).toBe(503)
})
