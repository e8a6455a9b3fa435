import { hash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { ApiKey } from '#config'
import { parseOriginPattern } from '#configuration/addresses.ts'
import { originTest } from '#gateway/keys.ts'
import { createRedactor } from '#telemetry/redactor.ts'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { type Gateway, type GatewayOptions, startGateway, TOKEN } from './startGateway.ts'

const textOf = (name: string) => `tw_${name.padEnd(43, '-')}`
const keyOf = (name: string, key: Omit<ApiKey, 'name' | 'sha256'> = {}): ApiKey => ({ name, sha256: hash('sha256', textOf(name)), ...key })

const PARTNER = { 'x-api-key': textOf('partner') }
const PAGE = { 'x-api-key': textOf('page'), origin: 'https://shop.example' }
const KEYS = [
  keyOf('partner', { limits: { requestsPerMinute: 3, connections: 2 } }),
  keyOf('page', { origins: ['https://shop.example'] }),
  keyOf('unlimited', { limits: { requestsPerMinute: 0 } }),
  keyOf('scraper', { operator: true }),
]

let gateway: Gateway
let fixture: RealtimeFixture | undefined
afterEach(async () => {
  await fixture?.stop()
  fixture = undefined
})

async function start(config: GatewayOptions['config'] = {}, keys: readonly ApiKey[] | null = KEYS): Promise<void> {
  gateway = await startGateway({ config: { rateLimitPerMinute: 1, operatorToken: 'right', ...config, apiKeys: keys } })
}
const statusOf = async (path: string, headers: Record<string, string> = {}) => (await gateway.get(path, headers)).status

describe('requests', () => {
  test('with a key are counted by its limit, not by that of their address', async () => {
    await start()
    expect(await statusOf('/api/tokens')).toBe(200)
    expect(await statusOf('/api/tokens')).toBe(429)
    for (const left of ['2', '1', '0']) {
      const { status, headers } = await gateway.get('/api/tokens', PARTNER)
      expect([status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([200, '3', left])
    }
    const refused = await gateway.get('/api/tokens', PARTNER)
    expect(await expectProblem(refused, 429, 'rate_limited')).toBe('this API key may make 3 requests per minute')
    for (let n = 0; n < 9; n++) expect(await statusOf('/api/tokens', { 'x-api-key': textOf('unlimited') })).toBe(200)
    // Without a limit of its own a key has that of one address, for itself.
    expect([await statusOf('/api/tokens', PAGE), await statusOf('/api/tokens', PAGE)]).toEqual([200, 429])
  })

  test.for([textOf('unknown'), 'partner', `${textOf('partner')} `.repeat(2).trim(), textOf('partner').toUpperCase()])(
    'with %j are refused, without repeating it',
    async text => {
      await start({ rateLimitPerMinute: 0 })
      const response = await gateway.get('/api/tokens', { 'x-api-key': text })
      expect(await expectProblem(response, 401, 'unauthorized')).toBe('this API key is unknown or revoked')
      expect(await statusOf('/healthz', { 'x-api-key': text })).toBe(200)
    },
  )

  test('with a wrong key count for their address', async () => {
    await start()
    expect(await statusOf('/api/tokens', { 'x-api-key': textOf('unknown') })).toBe(401)
    expect(await statusOf('/api/tokens', { 'x-api-key': textOf('unknown') })).toBe(429)
  })

  test('with a key for pages come from those pages', async () => {
    await start({ rateLimitPerMinute: 0 })
    const allowed = await gateway.get('/api/tokens', PAGE)
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, PAGE.origin])
    await expectProblem(await gateway.get('/api/tokens', { ...PAGE, origin: 'https://other.example' }), 403, 'origin_not_allowed')
    await expectProblem(await gateway.get('/api/tokens', { 'x-api-key': textOf('page') }), 403, 'origin_not_allowed')
    const withoutKey = await gateway.get('/api/tokens', { origin: PAGE.origin })
    expect(withoutKey.headers.get('access-control-allow-origin')).toBeNull()
    // A preflight has no key yet.
    const ask = (origin: string) =>
      fetch(`${gateway.url}/api/tokens`, { method: 'OPTIONS', headers: { origin, 'access-control-request-headers': 'x-api-key' } })
    const preflight = await ask(PAGE.origin)
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, PAGE.origin])
    expect((await ask('https://other.example')).status).toBe(403)
  })

  test('take a key in their URL only where browsers can send no header', async () => {
    await start({ rateLimitPerMinute: 0 })
    const response = await gateway.get(`/api/tokens?apiKey=${textOf('partner')}`)
    expect(await expectProblem(response, 400, 'invalid_parameter')).toContain('X-Api-Key')
  })

  test('of a service without keys ignore those that they are given', async () => {
    await start({ rateLimitPerMinute: 0 }, null)
    expect(await statusOf('/api/tokens', PARTNER)).toBe(200)
  })
})

describe('operator routes', () => {
  test('open to a key with operator rights, also as the bearer that Prometheus sends', async () => {
    await start({ rateLimitPerMinute: 0, host: '0.0.0.0' })
    const scraper = textOf('scraper')
    expect(await statusOf('/metrics', { 'x-api-key': scraper })).toBe(200)
    expect(await statusOf('/metrics', { authorization: `Bearer ${scraper}`, 'x-forwarded-for': '203.0.113.9' })).toBe(200)
    expect(await statusOf('/metrics', PARTNER)).toBe(401)
    expect(await statusOf('/metrics', { authorization: `Bearer ${textOf('partner')}` })).toBe(401)
    expect(await statusOf('/metrics', { authorization: 'Bearer right' })).toBe(200)
  })

  test('show a key its own usage, and operators that of all', async () => {
    await start({ rateLimitPerMinute: 0 })
    await gateway.get('/api/tokens', PARTNER)
    const usage = async (headers: Record<string, string>) =>
      (await (await gateway.get('/api/usage', headers)).json()) as { data: { name: string }[] }
    expect((await usage(PARTNER)).data).toEqual([
      {
        name: 'partner',
        requests: 2,
        refusedRequests: 0,
        maxRequestsPerMinute: 3,
        connections: 0,
        maxConnections: 2,
        openedConnections: 0,
        refusedConnections: 0,
      },
    ])
    for (const headers of [{ authorization: 'Bearer right' }, { 'x-api-key': textOf('scraper') }]) {
      expect((await usage(headers)).data.map(({ name }) => name)).toEqual(['partner', 'page', 'unlimited', 'scraper'])
    }
    await expectProblem(await gateway.get('/api/usage'), 401, 'unauthorized')
  })
})

describe('connections', () => {
  const query = (name: string) => `?apiKey=${textOf(name)}`
  async function startRealtime(): Promise<RealtimeFixture> {
    fixture = await RealtimeFixture.start({ maxConnectionsPerIp: 1, requireOrigin: true, apiKeys: KEYS })
    fixture.store(addressOf(1), 7)
    gateway = fixture.gateway
    return fixture
  }

  test('with a key are counted by its limit, and their revocation closes them', async () => {
    const { client, refusedClient, admission, realtime } = bound(await startRealtime())
    const first = await client({ query: query('partner') })
    const abort = new AbortController()
    const stream = await fetch(`${gateway.url}/api/stream?channel=trades&apiKey=${textOf('partner')}`, { signal: abort.signal })
    expect(stream.status).toBe(200)
    expect((await refusedClient({ query: query('partner') }).refused).status).toBe(429)
    expect(admission.keys.find(textOf('partner'))?.usage()).toMatchObject({ connections: 2, openedConnections: 2, refusedConnections: 1 })
    admission.keys.replace(KEYS.slice(1))
    fixture?.pass(1)
    expect(await first.closed).toEqual({ code: 4501, reason: 'API key revoked' })
    await expect(stream.text()).rejects.toThrow()
    await eventually(() => realtime.report().eventStreams === 0)
    expect((await refusedClient({ query: query('partner') }).refused).status).toBe(401)
    expect(await statusOf(`/api/tokens/${TOKEN}/stream`, PARTNER)).toBe(401)
  })

  test('with a key for pages come from those pages', async () => {
    const { client, refusedClient } = bound(await startRealtime())
    expect((await refusedClient({ query: query('page') }).refused).status).toBe(403)
    expect((await refusedClient({ query: query('page'), origin: 'http://localhost:5173' }).refused).status).toBe(403)
    await client({ query: query('page'), origin: PAGE.origin })
  })

  function bound(started: RealtimeFixture) {
    return {
      client: started.client.bind(started),
      refusedClient: started.refusedClient.bind(started),
      admission: started.admission,
      realtime: started.realtime,
    }
  }
})

test('no log line has a key, wherever a client put it', async () => {
  const key = textOf('partner')
  const { line } = createRedactor([])
  for (const text of [key, `GET /x?apiKey=${key}&y=1`, encodeURIComponent(`a=${key}`), `tw%5Fpartner${'%2D'.repeat(36)}`]) {
    const written = line(`${JSON.stringify({ level: 20, path: text, err: { message: text } })}\n`)
    expect(written).toContain('[redacted]')
    expect(written).not.toContain('partner')
  }
  await start({ rateLimitPerMinute: 0 })
  const response = await gateway.get(`/nowhere/${key}`)
  expect(await expectProblem(response, 404, 'not_found')).not.toContain('partner')
})

test('a changed file changes limits and rights of its keys, and keeps what they have used', async () => {
  fixture = await RealtimeFixture.start({ apiKeys: KEYS })
  const { keys } = fixture.admission
  gateway = fixture.gateway
  await gateway.get('/api/tokens', PARTNER)
  keys.replace([keyOf('partner', { operator: true, limits: { connections: 9 } }), keyOf('new')])
  expect(keys.all().map(key => key.usage())).toMatchObject([
    { name: 'partner', requests: 1, maxConnections: 9 },
    { name: 'new', requests: 0 },
  ])
  expect(keys.find(textOf('partner'))?.isOperator).toBe(true)
  expect(keys.find(textOf('page'))).toBeNull()
})

/** Through the configuration, as in production. */
function matches(pattern: string, origin: string): boolean {
  const parsed = parseOriginPattern(pattern)
  if (parsed.kind === 'invalid') throw new Error(`${pattern}: ${parsed.reason}`)
  return originTest([parsed.pattern])(origin)
}

test.for([
  ['https://example.com', 'https://example.com'],
  ['https://example.com', 'HTTPS://EXAMPLE.COM'],
  ['https://example.com:443', 'https://example.com'],
  ['http://example.com:8080', 'http://example.com:8080'],
  ['http://localhost:*', 'http://localhost'],
  ['http://localhost:*', 'http://localhost:5173'],
  ['http://[::1]:*', 'http://[::1]:3000'],
  ['https://*.example.com', 'https://a.example.com'],
  ['https://*.example.com', 'https://a.b-c.example.com'],
  ['https://pr-*.example.com', 'https://pr-12.example.com'],
  ['http://*.localhost:3000', 'http://app.localhost:3000'],
  ['chrome-extension://abcdefgh', 'chrome-extension://abcdefgh'],
] as const)('%s allows %s', ([pattern, origin]) => {
  expect(matches(pattern, origin)).toBe(true)
})

test.for([
  ['https://example.com', 'http://example.com'],
  ['https://example.com', 'https://example.com:8443'],
  ['https://example.com', 'https://example.com.evil.org'],
  ['https://example.com', 'https://evil.org/https://example.com'],
  ['https://example.com', 'https://exampleXcom'],
  ['https://example.com', 'null'],
  ['http://localhost:*', 'http://localhost:80.evil.org'],
  ['http://localhost:*', 'http://localhost.evil.org:80'],
  ['http://localhost:*', 'https://localhost:80'],
  ['https://*.example.com', 'https://example.com'],
  ['https://*.example.com', 'https://evil-example.com'],
  ['https://*.example.com', 'https://.example.com'],
  ['https://*.example.com', 'https://evil.org:1.example.com'],
  ['https://*.example.com', 'https://a.example.com:8443'],
  ['https://pr-*.example.com', 'https://pr-1.evil.example.com'],
  ['https://pr-*.example.com', 'https://main.example.com'],
] as const)('%s does not allow %s', ([pattern, origin]) => {
  expect(matches(pattern, origin)).toBe(false)
})

test('one of several patterns is enough, and * alone allows even null', () => {
  const several = originTest(['https://a.example.com', 'http://localhost:*'])
  expect([several('http://localhost:1'), several('https://a.example.com'), several('https://b.example.com')]).toEqual([true, true, false])
  expect(originTest(['*'])('null')).toBe(true)
})
