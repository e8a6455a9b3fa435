import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { listen } from '#test/support/listen.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { NGINX, startNginx } from './startNginx.ts'

/*
 * Behind nginx as it comes out of the box, which adds no header and asks the service by the name in `proxy_pass`, operator routes answered
 * every client.
 */
describe.runIf(NGINX !== null)('behind nginx without OPERATOR_TOKEN', () => {
  const OPERATOR = 'T'.repeat(43)
  /** What stands beside `proxy_pass`. */
  const PROXIES = {
    'as it comes': '',
    'passing the name on': 'proxy_set_header Host $host;',
    'passing name and port on': 'proxy_set_header Host $http_host;',
    'telling the address': 'proxy_set_header X-Real-IP $remote_addr;',
    'telling the way': 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;',
  } as const
  type Proxy = keyof typeof PROXIES
  let gateway: Awaited<ReturnType<typeof startGateway>>
  let nginx: Awaited<ReturnType<typeof startNginx>>

  beforeAll(async () => {
    gateway = await startGateway({ config: { operatorLoopbackOpen: false }, localToken: OPERATOR })
    // HTTP/1.1 is what newer versions speak to a server anyway; the service answers 505 to older ones, which speak 1.0.
    const pass = `proxy_pass http://127.0.0.1:${gateway.port}; proxy_http_version 1.1;`
    nginx = await startNginx(Object.fromEntries(Object.entries(PROXIES).map(([name, more]) => [name, `location / { ${pass} ${more} }`])))
  })

  async function ask(proxy: Proxy, route: string, headers: Readonly<Record<string, string>> = {}) {
    const [response] = (await once(nginx(proxy, route, headers), 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 0, body: await text(response) }
  }

  test.for(['/metrics', '/api/indexer/health/actors'])('%s asks for the token whatever name the client asks for', async route => {
    for (const host of ['127.0.0.1', 'localhost', 'api.example.com'])
      expect(await ask('as it comes', route, { host })).toMatchObject({
        status: 401,
        body: expect.stringContaining('operator-token') as unknown,
      })
    for (const proxy of ['passing the name on', 'passing name and port on'] as const) {
      expect((await ask(proxy, route)).status).toBe(401)
      expect((await ask(proxy, route, { host: 'api.example.com' })).status).toBe(403)
    }
  })

  test.for(['telling the address', 'telling the way'] as const)('operator routes are closed behind one %s', async proxy => {
    for (const headers of [{}, { authorization: `Bearer ${OPERATOR}` }]) {
      const { status, body } = await ask(proxy, '/metrics', headers)
      expect([status, body]).toEqual([403, expect.stringContaining('OPERATOR_TOKEN')])
    }
  })

  test('operator routes answer who asks this machine with the token', async () => {
    expect((await gateway.get('/metrics', { authorization: `Bearer ${OPERATOR}` })).status).toBe(200)
    expect((await gateway.get('/metrics')).status).toBe(401)
  })

  test('public routes answer as ever', async () => {
    for (const proxy of Object.keys(PROXIES) as Proxy[]) expect((await ask(proxy, '/api/indexer/health')).status).toBe(200)
  })
})

const TOKEN = addressOf(1)

const fixture = await RealtimeFixture.start()
fixture.show(fixture.store(TOKEN, 1))
/** Who was the first to end each connection. */
async function startTap(
  port: number,
): Promise<{ readonly port: number; readonly firstToEnd: Promise<'client' | 'service'>; close(): void }> {
  const { promise: firstToEnd, resolve } = Promise.withResolvers<'client' | 'service'>()
  const tap = createServer({ allowHalfOpen: true }, client => {
    const service = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.on('end', () => resolve('client')).on('error', () => resolve('client'))
    service.on('end', () => resolve('service')).on('error', () => resolve('service'))
    client.pipe(service).pipe(client)
  })
  return { port: await listen(tap), firstToEnd, close: () => void tap.close() }
}

/* What docs/operation.md says of proxies in front of the service. */
describe.runIf(NGINX !== null)('behind nginx', () => {
  // uWebSockets ends an idle connection after 10 s, and nginx keeps one in its pool for 60 s unless it is told otherwise: a request that it
  // sends just then gets 502.
  test.concurrent.each([
    ['the service, without the line of the guide', '', 'service'],
    ['nginx, with the line of the guide', 'keepalive_timeout 7s;', 'client'],
  ])('an idle connection of the pool is ended first by %s', async (_, line, first) => {
    const tap = await startTap(fixture.port)
    const inside = 'location / { proxy_pass http://pool; proxy_http_version 1.1; proxy_set_header Connection ""; }'
    await startNginx({ pooling: inside }, `upstream pool { server 127.0.0.1:${tap.port}; keepalive 4; ${line} }`)
    expect(await tap.firstToEnd).toBe(first)
    tap.close()
  })

  test('an event stream comes at once, also where nginx compresses everything', async () => {
    const inside = `gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;
      location / { proxy_pass http://127.0.0.1:${fixture.port}; proxy_http_version 1.1; }`
    const nginx = await startNginx({ compressing: inside })
    const asked = nginx('compressing', `/api/tokens/${TOKEN}/stream`, { 'accept-encoding': 'gzip' })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
    let received = ''
    body.on('data', chunk => (received += String(chunk)))
    await expect.poll(() => received).toContain('id: 1\n')
    fixture.commit(snapshotOf(TOKEN, 2))
    await expect.poll(() => received).toContain('id: 2\n')
    asked.destroy()
  })
})
