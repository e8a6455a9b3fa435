import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ClientError } from '#client/clientError.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { TokenwireOptions } from '#client/options.ts'
import { items } from '#client/rest/calls.ts'
import { encodeSubscribed, encodeUnsubscribed } from '#protocol/parseClientMessage.ts'
import { eventually } from '#test/support/eventually.ts'
import { updateBytes } from '#test/support/frames.ts'
import { listen } from '#test/support/listen.ts'
import { addressOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'
import { Seen } from './clientFixture.ts'
import { SimulatedClock } from './simulatedClock.ts'

/* Broken and malicious servers: the client rejects their data and does not send them more requests than others. */

const A = addressOf(1)
const B = addressOf(2)

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const updateText = (sequence: number, token = A) => new TextDecoder().decode(updateBytes(snapshotOf(token, sequence)))

it('rejects messages that are too large, binary, contradictory, or older than the known state', async () => {
  const two = JSON.parse(updateText(9)) as { token: object; latestTrade: object }
  const messages = [
    `{"type":"token.update","padding":"${'x'.repeat(1 << 20)}"}`,
    JSON.stringify({ ...JSON.parse(updateText(8)), padding: 'x'.repeat(1 << 20) }),
    Buffer.from(updateText(8)),
    JSON.stringify({ ...two, sequence: 2 ** 53 }),
    JSON.stringify({ ...two, sequence: 2 ** 53 - 1 }),
    JSON.stringify({ ...two, latestTrade: tradeOf(B) }),
    '{"type":"__proto__"}',
    '{"type":"subscribed"}',
  ]
  const url = await serveSockets(socket => {
    for (const message of [...messages, updateText(7), updateText(5), updateText(7), updateText(3, B), updateText(10)]) socket.send(message)
  })
  const { client, errors } = clientOf({ url })
  const [a, b] = [new Seen(), new Seen()]
  client.watch(A, a.listen)
  client.watch(A.toUpperCase(), b.listen)
  await Promise.all([a.reaches(10), b.reaches(10)])
  expect([a.sequences, b.sequences]).toEqual([
    [7, 10],
    [7, 10],
  ])
  expect(errors.filter(({ code }) => code === 'invalid_answer').map(({ path }) => path)).toEqual([
    'type',
    'type',
    'type',
    'sequence',
    'token',
    'token',
    'token',
  ])
})

/** A server's WebSocket frame with this text. */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.of(0x81, 126, payload.length >> 8, payload.length & 0xff), payload])
}

it('survives frames that are truncated, forged, or arrive byte by byte', async () => {
  const breaks: ((socket: Socket) => void)[] = [
    socket => socket.end(frameOf(updateText(50)).subarray(0, 900)),
    // A reserved opcode; an absurd length; compression that was not negotiated.
    socket => socket.write(Buffer.of(0x83, 0)),
    socket => socket.write(Buffer.of(0x81, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
    socket => socket.write(Buffer.of(0xc1, 1, 0)),
    socket => {
      const bytes = frameOf(updateText(60))
      const drip = (at: number) => {
        if (at < bytes.length) socket.write(bytes.subarray(at, at + 16), () => setImmediate(drip, at + 16))
      }
      drip(0)
    },
  ]
  const sockets = new Set<Socket>()
  const server = createTcpServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', data => {
      const key = /sec-websocket-key: (\S+)/i.exec(data.toString())?.[1]
      if (key === undefined) {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n')
        return
      }
      const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
      )
      breaks.shift()?.(socket)
    })
  })
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { client } = clientOf({ url: `http://127.0.0.1:${await listen(server)}`, random: () => 0.01 })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(60)
  expect(seen.sequences).toEqual([60])
  expect(breaks).toEqual([])
})

it('reports HTML pages and endless redirects as errors', async () => {
  const { url, asked } = await serve((request, response) => {
    if (request.url?.includes('loop')) response.writeHead(302, { location: request.url }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><h1>Log in</h1>')
  })
  const { client } = clientOf({ url, retries: 0 })
  expect(await client.token(A)).toMatchObject({ ok: false, error: { code: 'invalid_answer', status: 200 } })
  expect(await client.tokens({ launchpad: 'loop' })).toMatchObject({ ok: false, error: { code: 'network' } })
  expect(asked.length).toBeGreaterThan(2)
  const seen = new Seen()
  client.watch(A, seen.listen)
  await eventually(() => asked.some(path => path.includes('/stream?')))
  await eventually(() => client.state === 'offline')
  expect(seen.states).toEqual([])
})

it('stops reading a list whose pages never end', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"data":[],"nextCursor":"more"}')
  })
  const { client } = clientOf({ url, WebSocket: undefined as never })
  await expect(async () => {
    for await (const _ of items(at => client.trades(A, at))) throw new Error('there is nothing')
  }).rejects.toMatchObject({ code: 'invalid_answer' })
})

it.each([
  ['-5', 2],
  ['0', 2],
  ['1e12', 2],
  ['soon', 2],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 2],
  ['1000000000000', 1],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 1],
  ['9'.repeat(400), 1],
])('sends no more requests with a Retry-After of %s', async (header, inOneSecond) => {
  const clock = new SimulatedClock()
  let asked = 0
  const { client } = clientOf({
    url: 'http://service.test',
    clock,
    random: () => 0.999,
    fetch: async () => {
      asked++
      return Response.json({}, { status: 429, headers: { 'retry-after': header } })
    },
  })
  const answer = client.token(A)
  await clock.advance(1_000)
  expect(asked).toBe(inOneSecond)
  await clock.advance(10_000)
  const result = await answer
  expect(result).toMatchObject({ ok: false, error: { code: 'rate_limited', status: 429 } })
  expect(asked).toBeLessThanOrEqual(3)
  // After an hour it sends requests again, whatever the header said.
  await clock.advance(3_600_000)
  const before = asked
  void client.token(A)
  await clock.advance(0)
  expect(asked).toBe(before + 1)
})

function clientOf(options: TokenwireOptions) {
  const errors: ClientError[] = []
  const client = createTokenwire({ onError: error => errors.push(error as ClientError), ...options })
  open.push(() => client.close())
  return { client, errors }
}

/** A WebSocket server that answers correctly and sends whatever the test wants besides. */
async function serveSockets(connected: (socket: WebSocket, count: number) => void): Promise<string> {
  const http = createServer((_, response) => response.writeHead(503).end())
  const server = new WebSocketServer({ server: http })
  let count = 0
  server.on('connection', socket => {
    socket.on('message', (data: Buffer) => {
      const { type, token } = JSON.parse(data.toString())
      socket.send(type === 'subscribe' ? encodeSubscribed(token, 1) : encodeUnsubscribed(token))
    })
    connected(socket, ++count)
  })
  open.push(() => {
    for (const socket of server.clients) socket.terminate()
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${await listen(http)}`
}

async function serve(answer: RequestListener): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${await listen(server)}`, asked }
}
