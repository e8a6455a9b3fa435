import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '#test/gateway/startGateway.ts'
import { NGINX, type Nginx, startNginx } from './startNginx.ts'

/*
 * Behind nginx as it comes out of the box, which adds no header and asks the service by the name in `proxy_pass`, operator routes answered
 * every client.
 */

const TOKEN = 'T'.repeat(43)

/** What stands beside `proxy_pass`. */
const PROXIES = {
  'as it comes': '',
  'passing the name on': 'proxy_set_header Host $host;',
  'passing name and port on': 'proxy_set_header Host $http_host;',
  'telling the address': 'proxy_set_header X-Real-IP $remote_addr;',
  'telling the way': 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;',
} as const
type Proxy = keyof typeof PROXIES

/** HTTP/1.1 is what newer versions speak to a server anyway; the service answers 505 to older ones, which speak 1.0. */
function serversFor(port: number): Readonly<Record<Proxy, string>> {
  const entries = Object.entries(PROXIES).map(([name, settings]) => [
    name,
    `location / { proxy_pass http://127.0.0.1:${port}; proxy_http_version 1.1; ${settings} }`,
  ])
  return Object.fromEntries(entries) as Record<Proxy, string>
}

describe.runIf(NGINX !== null)('behind nginx without OPERATOR_TOKEN', () => {
  let gateway: Gateway
  let nginx: Nginx

  beforeAll(async () => {
    gateway = await startGateway({ config: { operatorLoopbackOpen: false }, localToken: TOKEN })
    nginx = await startNginx(serversFor(gateway.port))
  })

  afterAll(async () => {
    await nginx?.stop()
    await gateway?.close()
  })

  async function ask(
    proxy: Proxy,
    route: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: string }> {
    const [response] = (await once(nginx.ask(proxy, route, headers), 'response')) as [IncomingMessage]
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
    for (const headers of [{}, { authorization: `Bearer ${TOKEN}` }]) {
      const { status, body } = await ask(proxy, '/metrics', headers)
      expect([status, body]).toEqual([403, expect.stringContaining('OPERATOR_TOKEN')])
    }
  })

  test('operator routes answer who asks this machine with the token', async () => {
    expect((await gateway.get('/metrics', { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
    expect((await gateway.get('/metrics')).status).toBe(401)
  })

  test('public routes answer as ever', async () => {
    for (const proxy of Object.keys(PROXIES) as Proxy[]) expect((await ask(proxy, '/api/indexer/health')).status).toBe(200)
  })
})
