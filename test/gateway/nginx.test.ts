import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findProgram } from '#test/support/findProgram.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'
import { type Gateway, startGateway } from './startGateway.ts'

/*
 * Behind nginx as it comes out of the box, which adds no header and asks the service by the name in `proxy_pass`, operator routes answered
 * every client.
 */

const NGINX = findProgram({ names: ['nginx'], aptPackage: 'nginx-light' })
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
function configuration(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`)
  const servers = Object.entries(PROXIES).map(
    ([name, settings]) => `server {
  listen unix:${socketOf(folder, name as Proxy)};
  location / { proxy_pass http://127.0.0.1:${port}; proxy_http_version 1.1; ${settings} }
}`,
  )
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http { access_log off; ${temporary.join(' ')}
${servers.join('\n')}
}`
}

function socketOf(folder: string, proxy: Proxy): string {
  return path.join(folder, `${Object.keys(PROXIES).indexOf(proxy)}.sock`)
}

describe.runIf(NGINX !== null)('behind nginx without OPERATOR_TOKEN', () => {
  let folder: TemporaryFolder
  let gateway: Gateway
  let nginx: ChildProcess
  let said = ''

  beforeAll(async () => {
    folder = await makeTemporaryFolder()
    gateway = await startGateway({ config: { operatorLoopbackOpen: false }, localToken: TOKEN })
    const file = path.join(folder.path, 'nginx.conf')
    await writeFile(file, configuration(folder.path, gateway.port))
    nginx = spawn(NGINX ?? '', ['-p', folder.path, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] })
    nginx.stderr?.on('data', chunk => (said += String(chunk)))
    const listens = async () => {
      const { status } = await ask('as it comes', '/healthz').catch(({ message }: Error) => ({ status: `${message}\n${said}` }))
      expect(status).toBe(200)
    }
    await vi.waitFor(listens, { timeout: POLL_LIMIT_MS })
  })

  afterAll(async () => {
    nginx?.kill('SIGTERM')
    if (nginx?.exitCode === null) await once(nginx, 'exit')
    await gateway?.close()
    await folder?.remove()
  })

  async function ask(
    proxy: Proxy,
    route: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: string }> {
    const asked = request({
      socketPath: socketOf(folder.path, proxy),
      path: route,
      headers: { host: '127.0.0.1', ...headers },
      agent: false,
    }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
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
