import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ClientError } from '#client/clientError.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import { encodeSubscribed, encodeUnsubscribed } from '#protocol/encodeAnswer.ts'
import { encodeUpdate } from '#protocol/encodeUpdate.ts'
import { eventually, RealtimeFixture } from '#test/gateway/startRealtime.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { ClientFixture, FastClock, inState, Seen } from './clientFixture.ts'

const A = addressOf(1)
const B = addressOf(2)

let fixture: ClientFixture
beforeEach(async () => {
  fixture = await ClientFixture.start()
  fixture.store(A, 1)
})
afterEach(() => fixture.stop())

it('comes back after a connection broke, says what it holds, and gets what it missed', async () => {
  fixture.store(B, 1)
  const client = fixture.client()
  const [a, b] = [new Seen(), new Seen()]
  client.watch(A, a.listen)
  client.watch(B, b.listen)
  await Promise.all([a.reaches(1), b.reaches(1)])
  fixture.proxy.cut()
  fixture.commit(B, 2)
  await b.reaches(2)
  await inState(client, 'live')
  fixture.commit(A, 3)
  await a.reaches(3)
  expect(a.sequences).toEqual([1, 3])
  const subscribes = fixture.proxy.sent.map(text => JSON.parse(text)).filter(({ type }) => type === 'subscribe')
  expect(subscribes.filter(({ token }) => token === A).map(({ sequence }) => sequence)).toEqual([null, 1])
})

it('keeps its order through messages that come late, twice and in another order', async () => {
  const client = fixture.client()
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  const held: (() => void)[] = []
  fixture.proxy.treat = (text, deliver) => {
    held.push(() => deliver(text))
    // Each third message lets go of all before it, backwards and twice.
    if (held.length % 3 === 0) for (const late of held.splice(0).reverse()) for (const _ of [1, 2]) late()
  }
  for (let sequence = 2; sequence <= 31; sequence++) {
    fixture.commit(A, sequence)
    // One message per commit: those of one tick are made one.
    await new Promise(setImmediate)
  }
  await seen.reaches(31)
  expect(seen.sequences).toEqual([...new Set(seen.sequences)].sort((a, b) => a - b))
  expect(seen.sequences.length).toBeLessThan(31)
})

it('falls back to event streams while WebSockets are blocked, and comes back when they are not', async () => {
  fixture.store(B, 1)
  fixture.proxy.webSockets = 'refuse'
  const client = fixture.client({ maxEventStreams: 1, clock: new FastClock(20) })
  const [a, b] = [new Seen(), new Seen()]
  client.watch(A, a.listen)
  client.watch(B, b.listen)
  await inState(client, 'fallback')
  await a.reaches(1, 'eventStream')
  // For the second token there is no stream left: it is polled.
  await b.reaches(1, 'rest')
  fixture.commit(A, 2)
  fixture.commit(B, 2)
  await a.reaches(2, 'eventStream')
  await b.reaches(2, 'rest')
  fixture.proxy.webSockets = 'pass'
  await inState(client, 'live')
  fixture.commit(A, 3)
  fixture.commit(B, 3)
  await a.reaches(3)
  await b.reaches(3, 'webSocket')
  await eventually(() => fixture.service.realtime.health().eventStreams === 0)
  expect(a.sequences.toSorted((x, y) => x - y)).toEqual(a.sequences)
})

it('resumes an event stream that breaks from what it holds', async () => {
  fixture.proxy.webSockets = 'refuse'
  const client = fixture.client({ clock: new FastClock(20) })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1, 'eventStream')
  fixture.proxy.cutAll()
  fixture.store(A, 2)
  await seen.reaches(2)
  await inState(client, 'fallback')
  fixture.commit(A, 3)
  await seen.reaches(3)
  expect(fixture.proxy.requests.filter(path => path.includes('/stream')).slice(0, 2)).toEqual([
    `/api/tokens/${A}/stream`,
    expect.stringMatching(new RegExp(`/api/tokens/${A}/stream(\\?lastEventId=1)?$`)),
  ])
})

it('notices a connection that died without a word, over WebSocket and event streams alike', async () => {
  const client = fixture.client({ clock: new FastClock(20) })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.proxy.webSockets = 'swallow'
  const opened = fixture.proxy.opened
  // A new connection is swallowed, too, until somebody lets it pass.
  await eventually(() => fixture.proxy.opened > opened)
  expect(client.state).not.toBe('live')
  fixture.commit(A, 2)
  fixture.proxy.webSockets = 'pass'
  await seen.reaches(2)
  await inState(client, 'live')
})

it('is offline while nothing answers, and live again when the server is back', async () => {
  const client = fixture.client({ clock: new FastClock(20) })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.proxy.webSockets = 'refuse'
  fixture.proxy.rest = 'refuse'
  fixture.proxy.cut()
  await inState(client, 'offline')
  fixture.store(A, 5)
  fixture.proxy.webSockets = fixture.proxy.rest = 'pass'
  client.reconnect()
  await inState(client, 'live')
  await seen.reaches(5)
  expect(seen.sequences).toEqual([1, 5])
})

it('goes over to another gateway without believing that one less advanced', async () => {
  const behind = await RealtimeFixture.start()
  try {
    behind.store(A, 1)
    const client = fixture.client()
    const seen = new Seen()
    client.watch(A, seen.listen)
    await seen.reaches(1)
    fixture.commit(A, 8)
    await seen.reaches(8)
    fixture.proxy.target = behind.gateway.url
    const { opened } = fixture.proxy
    fixture.proxy.cut()
    await eventually(() => fixture.proxy.opened > opened && client.state === 'live')
    behind.commit(snapshotOf(A, 7))
    behind.commit(snapshotOf(A, 9))
    await seen.reaches(9)
    expect(seen.sequences).toEqual([1, 8, 9])
  } finally {
    fixture.proxy.cutAll()
    await behind.stop()
  }
})

it('takes from REST what its connection missed, and then asks the connection for the whole', async () => {
  const client = fixture.client({ clock: new FastClock(20), maxEventStreams: 0 })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.proxy.treat = (text, deliver) => text.includes('token.update') || deliver(text)
  fixture.commit(A, 2)
  const alone = await seen.reaches(2, 'rest')
  expect(alone.holders).toHaveLength(20)
  fixture.proxy.treat = (text, deliver) => deliver(text)
  await seen.reaches(2, 'webSocket')
})

it('sends no more messages than a server allows, however much is watched at once', async () => {
  await fixture.stop()
  fixture = await ClientFixture.start({ maxSubscriptionsPerConnection: 400 })
  const client = fixture.client({ maxSubscriptions: 400 })
  const seen = new Seen()
  const startedAt = performance.now()
  for (let n = 1; n <= 300; n++) client.watch(addressOf(n), seen.listen)
  await eventually(() => fixture.proxy.sent.length >= 180)
  await inState(client, 'live')
  // The probe, a burst of 180, then one message each 25 ms.
  expect(fixture.proxy.sent.length).toBeLessThanOrEqual(181 + (performance.now() - startedAt) / 25)
  expect(fixture.proxy.opened).toBe(1)
})

/** A server of its own, for what the real one does not do. */
async function serve(
  connected: (socket: WebSocket, count: number) => void,
): Promise<{ url: string; connections: () => number; stop(): void }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise(resolve => server.once('listening', resolve))
  let count = 0
  server.on('connection', socket => {
    connected(socket, ++count)
    socket.on('message', (data: Buffer) => {
      const { type, token } = JSON.parse(data.toString())
      socket.send(type === 'subscribe' ? encodeSubscribed(token, 1) : encodeUnsubscribed(token))
    })
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    stop() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}

it.each([1008, 4500, 4999])('does not come back after %i, and tells every watch', async code => {
  let isRefusing = true
  const server = await serve(socket => {
    if (isRefusing) socket.once('message', () => socket.close(code))
  })
  const client = createTokenwire({ url: server.url, fetch: async () => Promise.reject(new TypeError('nothing there')) })
  try {
    const errors = await Promise.all([A, B].map(token => new Promise<ClientError>(onEnd => client.watch(token, () => {}, { onEnd }))))
    expect(errors).toEqual([expect.objectContaining({ code: 'dismissed', status: code }), expect.objectContaining({ code: 'dismissed' })])
    expect(client.state).toBe('offline')
    await expect(client.updates(A).next()).rejects.toMatchObject({ code: 'dismissed' })
    expect(server.connections()).toBe(1)
    isRefusing = false
    client.reconnect()
    client.watch(A, () => {})
    await inState(client, 'live')
    expect(server.connections()).toBe(2)
  } finally {
    client.close()
    server.stop()
  }
})

it.each([1001, 1012, 4408, 4429, 4499])('comes back after %i', async code => {
  const server = await serve((socket, count) => {
    if (count === 1) socket.once('message', () => socket.close(code))
  })
  const client = createTokenwire({ url: server.url })
  try {
    client.watch(A, () => {})
    await eventually(() => server.connections() === 2)
    await inState(client, 'live')
    expect(server.connections()).toBe(2)
  } finally {
    client.close()
    server.stop()
  }
})

it('drops and reports messages that are not as promised, and ignores types that it does not know', async () => {
  const server = await serve(socket => {
    const { bytes } = encodeUpdate(snapshotOf(A, 5))
    const text = new TextDecoder().decode(bytes)
    for (const message of ['', '[]', '{"type":7}', '{"type":"news"}', text.replace('"sequence":5', '"sequence":-5'), text])
      socket.send(message)
  })
  const errors: ClientError[] = []
  const client = createTokenwire({ url: server.url, onError: error => errors.push(error as ClientError) })
  try {
    const seen = new Seen()
    client.watch(A, seen.listen)
    // What came before the answer to the first subscription is taken, too.
    await seen.reaches(5)
    expect(errors.map(({ code, path }) => `${code} ${path}`)).toEqual(
      ['type', 'type', 'type', expect.stringMatching(/sequence$/)].map(path =>
        typeof path === 'string' ? `invalid_answer ${path}` : path,
      ),
    )
  } finally {
    client.close()
    server.stop()
  }
})
