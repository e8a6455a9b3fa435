import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createSockets } from '#gateway/admission/sockets.ts'
import { certificate, certificateKey } from '#test/support/certificate.ts'
import { eventually } from '#test/support/eventually.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { CONFIG } from './startGateway.ts'
import { type Client, RealtimeFixture } from './startRealtime.ts'

/** Of these, 160 are kept back, and of the 40 sockets that remain 35 may be realtime ones and 10 those of one silent address. */
const DESCRIPTORS = 200

let fixture: RealtimeFixture | null = null
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await fixture?.stop()
  fixture = null
})

it('closes connections of an address past a quarter of the sockets while they send no request, and answers others', async () => {
  await start()
  const silent = await connections(60, '127.0.0.2')
  await eventually(() => silent.filter(one => one.isClosed).length === 50)
  expect(await ask('127.0.0.3')).toBe('HTTP/1.1 200 OK')
  expect(silent.filter(one => one.isClosed)).toHaveLength(50)
})

it('counts a connection with half a TLS handshake as silent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tokenwire-sockets-'))
  const tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  await Promise.all([writeFile(tls.certFile, certificate), writeFile(tls.keyFile, certificateKey)])
  try {
    await start({ tls })
    const halfway = await connections(60, '127.0.0.2')
    // The header of a handshake record and of a ClientHello, whose rest never comes.
    for (const { socket } of halfway) socket.write(Buffer.from('16030100f8010000f40303', 'hex'))
    await eventually(() => halfway.filter(one => one.isClosed).length >= 50)
    const response = once(
      get({ host: '127.0.0.1', port: fixture?.port, path: '/healthz', localAddress: '127.0.0.3', ca: certificate }),
      'response',
    )
    expect(await response).toMatchObject([{ statusCode: 200 }])
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('closes every connection past the limit of descriptors, and takes new ones when some have gone', async () => {
  await start()
  const silent: Connection[] = []
  for (const host of [2, 3, 4, 5, 6, 7]) silent.push(...(await connections(10, `127.0.0.${host}`)))
  await eventually(() => silent.filter(one => one.isClosed).length === 20)
  expect(await ask('127.0.0.8')).toBe('')
  const [first] = silent
  first?.socket.destroy()
  await eventually(() => first?.isClosed === true)
  let answer = ''
  while (answer === '') answer = await ask('127.0.0.8')
  expect(answer).toBe('HTTP/1.1 200 OK')
})

it('counts a connection as silent until its first request, its end or its upgrade', async () => {
  const gateway = await start()
  for (let n = 0; n < 30; n++) expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200 OK')
  for (let n = 0; n < 3; n++) {
    const silent = await connections(10, '127.0.0.2')
    // A connection that is ended, not destroyed, is closed once the gateway has closed its side.
    for (const { socket } of silent) socket.end()
    await eventually(() => silent.every(one => one.isClosed))
  }
  for (let n = 0; n < 20; n++) await gateway.client({ localAddress: '127.0.0.2' })
  expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200 OK')
})

it('closes a connection after its answer while others of the address are silent, so that one can’t count for several', async () => {
  await start()
  const [kept] = await connections(1, '127.0.0.2')
  kept?.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await eventually(() => kept?.received.includes('{"status":"ok"}') === true)
  expect(kept?.received).not.toContain('Connection: close')
  const silent = await connections(10, '127.0.0.2')
  kept?.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await eventually(() => kept?.isClosed === true)
  expect(kept?.received).toContain('Connection: close')
  expect(silent.every(one => !one.isClosed)).toBe(true)
})

it('answers WebSockets past seven eighths of the sockets with 503, and requests still with 200', async () => {
  const gateway = await start()
  for (let n = 0; n < 35; n++) await gateway.client()
  expect((await gateway.refusedClient().refused).status).toBe(503)
  expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200 OK')
})

it('frees the socket of a closed WebSocket', async () => {
  const gateway = await start()
  for (let round = 0; round < 3; round++) {
    const clients: Client[] = []
    for (let n = 0; n < 35; n++) clients.push(await gateway.client())
    for (const client of clients) client.terminate()
    await eventually(() => gateway.realtime.report().webSocketConnections === 0)
  }
  expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200 OK')
})

it('closes answered connections when half of the sockets are open', async () => {
  const gateway = await start()
  const idle = await connections(1, '127.0.0.2')
  for (let n = 0; n < 20; n++) await gateway.client()
  idle[0]?.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  await eventually(() => idle[0]?.isClosed === true)
  expect(idle[0]?.received).toContain('{"status":"ok"}')
})

it('does not limit the silent connections of a proxy', async () => {
  await start({ trustProxy: 1 })
  const silent = await connections(30, '127.0.0.2')
  expect(await ask('127.0.0.2')).toBe('HTTP/1.1 200 OK')
  expect(silent.every(one => !one.isClosed)).toBe(true)
})

it('says at the start when the limit of descriptors allows fewer connections than are configured', async () => {
  const log = createLogLines()
  const config = { ...CONFIG, maxConnections: 50_000 }
  expect(createSockets(config, log.logger, { descriptors: 1_024 }).maxRealtime).toBe(756)
  expect(log.lines()).toMatchObject([{ level: 40, maxConnections: 50_000, descriptors: 1_024, accepted: 756 }])
  expect(createSockets(config, log.logger, { descriptors: 65_536 }).maxRealtime).toBe(50_000)
  expect(createSockets(config, log.logger, { descriptors: Number.POSITIVE_INFINITY }).maxRealtime).toBe(50_000)
  expect(log.lines()).toHaveLength(1)
})

it('knows the limit of this process', () => {
  const log = createLogLines()
  createSockets({ ...CONFIG, maxConnections: Number.MAX_SAFE_INTEGER }, log.logger)
  expect(log.lines()[0]?.['descriptors']).toBeGreaterThan(100)
})

async function start(config: Parameters<typeof RealtimeFixture.start>[0] = {}): Promise<RealtimeFixture> {
  fixture = await RealtimeFixture.start({ maxConnectionsPerIp: 100, ...config }, { descriptors: DESCRIPTORS })
  return fixture
}

interface Connection {
  readonly socket: Socket
  isClosed: boolean
  received: string
}

/** A connection from an address of this machine. */
async function connection(localAddress: string): Promise<Connection> {
  const socket = connect({ host: '127.0.0.1', port: fixture?.port ?? 0, localAddress })
  const opened: Connection = { socket, isClosed: false, received: '' }
  sockets.push(socket)
  socket.on('error', () => {})
  socket.on('data', chunk => (opened.received += chunk.toString()))
  socket.on('close', () => (opened.isClosed = true))
  await once(socket, 'connect')
  return opened
}

async function connections(count: number, localAddress: string): Promise<readonly Connection[]> {
  const opened: Connection[] = []
  for (let n = 0; n < count; n++) opened.push(await connection(localAddress))
  return opened
}

/** The status of the answer to a request by a new connection; empty: it was closed without one. */
async function ask(localAddress: string): Promise<string> {
  const asking = await connection(localAddress)
  asking.socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await eventually(() => asking.isClosed)
  return asking.received.slice(0, asking.received.indexOf('\r'))
}
