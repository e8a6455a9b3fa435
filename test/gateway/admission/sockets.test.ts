import { once } from 'node:events'
import { get } from 'node:https'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it, test } from 'vitest'
import { addressOfBytes, createSockets, forwardedAddress, limitKey, normaliseAddress } from '#gateway/admission/sockets.ts'
import { type Client, RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { CONFIG } from '#test/gateway/startGateway.ts'
import { certificate, certificateFiles } from '#test/support/certificate.ts'
import { eventually } from '#test/support/eventually.ts'
import { createLogLines } from '#test/support/logLines.ts'

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
  await start({ tls: await certificateFiles() })
  const halfway = await connections(60, '127.0.0.2')
  // The header of a handshake record and of a ClientHello, whose rest never comes.
  for (const { socket } of halfway) socket.write(Buffer.from('16030100f8010000f40303', 'hex'))
  await eventually(() => halfway.filter(one => one.isClosed).length >= 50)
  const asked = get({ host: '127.0.0.1', port: fixture?.port, path: '/healthz', localAddress: '127.0.0.3', ca: certificate })
  expect(await once(asked, 'response')).toMatchObject([{ statusCode: 200 }])
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

test.for([
  ['203.0.113.1', '203.0.113.1'],
  [' 203.0.113.1 ', '203.0.113.1'],
  ['203.0.113.1:4711', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['::FFFF:CB00:7101', '203.0.113.1'],
  ['[::ffff:203.0.113.1]:4711', '203.0.113.1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['2001:DB8::0001', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]:443', '2001:db8:0:0:0:0:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0:0:0:0:c000:221'],
] as const)('spells %s as %s', ([text, expected]) => {
  expect(normaliseAddress(text)).toBe(expected)
})

test.for([
  '',
  'unknown',
  '_hidden',
  '203.0.113',
  '203.0.113.256',
  '1::2::3',
  '2001:db8::1:443:1:2:3:4:5',
  '[203.0.113.1',
  'example.com:80',
  '%eth0',
])('takes "%s" for no address', text => {
  expect(normaliseAddress(text)).toBeUndefined()
})

test('reads the bytes of a peer', () => {
  expect(addressOfBytes(Uint8Array.of(203, 0, 113, 1))).toBe('203.0.113.1')
  expect(addressOfBytes(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))).toBe('2001:db8:0:0:0:0:0:1')
  expect(addressOfBytes(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 1))).toBe('203.0.113.1')
  expect(addressOfBytes(new Uint8Array())).toBe('unknown')
})

test.for([
  ['the last entry is the client of one proxy', '10.0.0.1', '1.1.1.1, 203.0.113.5', 1, '203.0.113.5'],
  ['the last but one of two', '10.0.0.1', '1.1.1.1, 203.0.113.5, 10.0.0.2', 2, '203.0.113.5'],
  ['a shorter list gives its first', '10.0.0.1', '203.0.113.5', 3, '203.0.113.5'],
  ['the walk stops at what is no address', '10.0.0.1', '203.0.113.5, unknown, 10.0.0.2', 3, '10.0.0.2'],
  ['an empty list gives the peer', '10.0.0.1', '', 1, '10.0.0.1'],
] as const)('%s', ([, peer, forwarded, hops, client]) => {
  expect(forwardedAddress(peer, forwarded, hops)).toBe(client)
})

test('counts an IPv6 customer by the /64', () => {
  expect(limitKey('203.0.113.1')).toBe('203.0.113.1')
  expect(limitKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
})
