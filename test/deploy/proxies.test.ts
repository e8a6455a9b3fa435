import { type ChildProcess, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import type { Gateway } from '#test/gateway/startGateway.ts'
import { certificate, certificateKey } from '#test/support/certificate.ts'
import { eventually } from '#test/support/eventually.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { freePort } from '#test/support/freePort.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

/* The files of deploy/proxies, run by their programs, with nothing but addresses and paths replaced. */

const TOKEN = addressOf(1)
const KEY = `tw_${'k'.repeat(43)}`

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    file: 'nginx.conf',
    aptPackage: 'nginx-light',
    replaced: ({ folder, port, plainPort }) => [
      ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['/etc/nginx/tls', folder],
      ['/dev/stdout', `${folder}/requests.log`],
      [
        'http {\n',
        `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}\n`,
      ],
    ],
    args: (file, { folder }) => ['-p', folder, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/pid;`],
    log: 'requests.log',
    checks: false,
  },
  caddy: {
    file: 'Caddyfile',
    aptPackage: 'caddy',
    replaced: ({ folder, port }) => [
      [
        '{$SITE_ADDRESS:localhost} {\n',
        `{\nadmin off\nauto_https disable_redirects\n}\nhttps://localhost:${port} {\ntls ${folder}/tokenwire.crt ${folder}/tokenwire.key\n`,
      ],
    ],
    args: file => ['run', '--adapter', 'caddyfile', '--config', file],
    checks: true,
  },
  haproxy: {
    file: 'haproxy.cfg',
    aptPackage: 'haproxy',
    replaced: ({ folder, port, plainPort }) => [
      ['bind :80', `bind 127.0.0.1:${plainPort}`],
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/tls', folder],
      ['maxconn 60000', 'maxconn 400'],
    ],
    args: file => ['-db', '-f', file],
    checks: true,
  },
}

describe.for(Object.entries(PROXIES))('behind %s', ([name, proxy]) => {
  const program = findProgram({ names: [name], aptPackage: proxy.aptPackage })
  let folder: TemporaryFolder
  let gateways: readonly RealtimeFixture[] = []
  let running: ChildProcess
  let output = ''
  let place: Place

  beforeAll(async () => {
    if (program === null) return
    folder = await makeTemporaryFolder()
    const apiKeys = [{ name: 'page', sha256: hash('sha256', KEY) }]
    gateways = await Promise.all([1, 2].map(() => RealtimeFixture.start({ trustProxy: 1, apiKeys })))
    for (const gateway of gateways) gateway.show(gateway.store(TOKEN, 1))
    const port = await freePort(2)
    place = { folder: folder.path, port, plainPort: port + 1 }
    let configured = await readFile(path.resolve('deploy/proxies', proxy.file), 'utf8')
    const addresses = gateways.map((gateway, index) => [`gateway-${index + 1}:3000`, `127.0.0.1:${gateway.port}`] as const)
    for (const [from, to] of [...proxy.replaced(place), ...addresses]) {
      expect(configured).toContain(from)
      configured = configured.replaceAll(from, to)
    }
    const file = path.join(folder.path, proxy.file)
    await writeFile(file, configured)
    await writeFile(path.join(folder.path, 'tokenwire.crt'), `${certificate}\n`)
    await writeFile(path.join(folder.path, 'tokenwire.key'), `${certificateKey}\n`)
    await writeFile(path.join(folder.path, 'tokenwire.pem'), `${certificate}\n${certificateKey}\n`)
    await mkdir(path.join(folder.path, 'home'))
    const env = { PATH: process.env['PATH'], HOME: path.join(folder.path, 'home') }
    running = spawn(program, proxy.args(file, place), { stdio: ['ignore', 'pipe', 'pipe'], env })
    for (const stream of [running.stdout, running.stderr]) stream?.on('data', chunk => (output += String(chunk)))
    await eventually(async () => {
      if ((await ask('/healthz')).status !== 200) throw new Error(output)
    })
  })
  afterAll(async () => {
    if (program === null) return
    // Caddy's own end waits for connections that its clients have left.
    running.kill('SIGKILL')
    if (running.exitCode === null && running.signalCode === null) await once(running, 'exit')
    await Promise.all(gateways.map(gateway => gateway.stop()))
    await folder.remove()
  })

  const opened = async (route: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> => {
    const options = { host: '127.0.0.1', servername: 'localhost', port: place.port, path: route, ca: certificate, agent: false as const }
    const asked = request({ ...options, headers: { host: `localhost:${place.port}`, ...headers } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return response
  }
  const ask = async (route: string, headers?: Readonly<Record<string, string>>) => {
    const response = await opened(route, headers)
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
  }
  const requestsLog = async () => (proxy.log === undefined ? output : await readFile(path.join(place.folder, proxy.log), 'utf8'))

  test.runIf(program !== null)('clients have their own address, whatever they write', async () => {
    expect((await ask('/api/tokens', { 'x-forwarded-for': '10.9.9.9, 10.8.8.8' })).status).toBe(200)
    const logged = gateways.flatMap(({ gateway }) => gateway.log).filter(line => line['path'] === '/api/tokens')
    expect(logged.map(line => line['clientAddress'])).toEqual(['127.0.0.1'])
  })

  test.runIf(program !== null)('event streams come at once and uncompressed, WebSockets open, and no key is logged', async () => {
    const query = `apiKey=${KEY}`
    const stream = await opened(`/api/tokens/${TOKEN}/stream?lastEventId=0&${query}`, { 'accept-encoding': 'gzip, zstd, br' })
    expect([stream.statusCode, stream.headers['content-encoding']]).toEqual([200, undefined])
    let received = ''
    stream.on('data', chunk => (received += String(chunk)))
    await eventually(() => received.includes('id: 1\n'))
    for (const gateway of gateways) gateway.commit(snapshotOf(TOKEN, 2))
    await eventually(() => received.includes('id: 2\n'))
    stream.destroy()
    const socket = new WebSocket(`wss://localhost:${place.port}/realtime?${query}`, { ca: certificate })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'ping' }))
    const [message] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(String(message))).toMatchObject({ type: 'pong' })
    expect(gateways.map(({ admission }) => admission.keys.find(KEY)?.usage().openedConnections ?? 0).reduce((a, b) => a + b)).toBe(2)
    socket.close()
    await once(socket, 'close')
    await eventually(async () => (await requestsLog()).includes('/realtime'))
    expect(await requestsLog()).not.toContain(KEY)
    expect(output).not.toContain(KEY)
  })

  // HAProxy and Caddy had no server left, and answered by themselves, without a word of why and of when to ask again.
  test.runIf(program !== null)('while no gateway is ready, clients get the last data, or the problem that a gateway has', async () => {
    const each = gateways.map(({ gateway }) => gateway)
    const healthy = each.map(({ conditions }) => conditions.indexer)
    const checksOf = ({ log }: Gateway) => log.filter(line => ['/readyz', '/healthz'].includes(String(line['path']))).length
    for (const { conditions } of each) conditions.indexer = { ...conditions.indexer, stalled: true, reason: 'nothing is indexed' }
    try {
      const before = each.map(checksOf)
      if (proxy.checks) await eventually(() => each.every((gateway, index) => checksOf(gateway) >= (before[index] ?? 0) + 3))
      for (let n = 0; n < 4; n++) expect((await ask('/api/tokens')).status).toBe(200)
      for (const { reads } of each) reads.before = databaseAway
      for (let n = 0; n < 4; n++) {
        const refused = await ask(`/api/tokens?limit=${n + 2}`)
        expect([refused.status, refused.headers['content-type']]).toEqual([503, 'application/problem+json'])
      }
    } finally {
      for (const [index, { conditions, reads }] of each.entries()) {
        conditions.indexer = healthy[index] ?? conditions.indexer
        reads.before = async () => {}
      }
    }
    await eventually(async () => (await ask('/readyz')).status === 200 && (await ask('/api/tokens')).status === 200)
  })

  test.runIf(program !== null)('no request fails while one of the gateways stops', async () => {
    const statuses = new Set<number>()
    const askTimes = async (times: number) => {
      for (let n = 0; n < times; n++) statuses.add((await ask('/api/tokens')).status)
    }
    await askTimes(5)
    await Promise.all([gateways[0]?.gateway.close(), askTimes(30)])
    expect([...statuses]).toEqual([200])
  })
})

interface Place {
  readonly folder: string
  readonly port: number
  readonly plainPort: number
}

interface Proxy {
  readonly file: string
  readonly aptPackage: string
  /** What is replaced in its file for a test. */
  replaced(place: Place): readonly (readonly [from: string, to: string])[]
  args(file: string, place: Place): readonly string[]
  /** Where it writes requests, if not to its output. */
  readonly log?: string
  /** Whether it asks the gateways how they are. */
  readonly checks: boolean
}
