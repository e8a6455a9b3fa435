import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { Address } from '#domain/address.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { ClientFixture, FastClock, inState, neverAnswers, Seen } from './clientFixture.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { socketsOf } from './simulatedConnections.ts'
import { SimulatedService } from './simulatedService.ts'

const A = addressOf(1)
const B = addressOf(2)

let fixture: ClientFixture
beforeEach(async () => {
  fixture = await ClientFixture.start()
  fixture.store(A, 1)
})
afterEach(() => fixture.stop())

it('reconnects, subscribes with the sequence that it has, and receives what it missed', async () => {
  fixture.store(B, 1)
  const client = fixture.client({ fetch: neverAnswers })
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
  expect(subscribes).toEqual([null, 1].map(sequence => ({ type: 'subscribe', tokens: [A, B], sequence, delta: true })))
})

it('comes to another gateway when the server that leaves asked it to, and no earlier', async () => {
  const clock = new SimulatedClock()
  const service = new SimulatedService(clock, () => 0, { tokens: 2, gateways: 1 })
  const { tokens, fetch } = service
  const client = createTokenwire({ url: 'http://simulated', clock, random: () => 0, WebSocket: socketsOf(service), fetch })
  const token = tokens[1] as Address
  const seen = new Seen()
  client.watch(token, seen.listen)
  await clock.advance(1_000)
  expect(client.state).toBe('live')
  const states: string[] = []
  client.onState(state => states.push(state))
  service.cut(4012, 'retry after 7000 ms')
  service.commit(token)
  await clock.advance(6_990)
  expect(service.sockets.size).toBe(0)
  await clock.advance(100)
  expect(service.sockets.size).toBe(1)
  expect(seen.states.at(-1)?.sequence).toBe(service.truth(token)?.token.sequence)
  expect(states).toEqual(['connecting', 'live'])
  client.close()
})

it('delivers rising sequences when messages arrive late, twice and out of order', async () => {
  const client = fixture.client({ fetch: neverAnswers })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  const held: (() => void)[] = []
  fixture.proxy.treat = (text, deliver) => {
    held.push(() => deliver(text))
    // Every third message releases the ones before it, in reverse order and twice.
    if (held.length % 3 === 0) for (const late of held.splice(0).reverse()) for (const _ of [1, 2]) late()
  }
  for (let sequence = 2; sequence <= 31; sequence++) {
    fixture.commit(A, sequence)
    // A tick between commits: the server conflates commits of one tick.
    await new Promise(setImmediate)
  }
  await seen.reaches(31)
  expect(seen.sequences).toEqual([...new Set(seen.sequences)].sort((a, b) => a - b))
  expect(seen.sequences.length).toBeLessThan(31)
})

it('falls back to event streams while WebSockets are blocked, then returns to WebSocket', async () => {
  fixture.store(B, 1)
  fixture.proxy.webSockets = 'refuse'
  const client = fixture.client({ clock: new FastClock(20) })
  const [a, b] = [new Seen(), new Seen()]
  client.watch(A, a.listen)
  client.watch(B, b.listen)
  await inState(client, 'fallback')
  await a.reaches(1, 'eventStream')
  // The second token has no stream, so it is polled.
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
  await eventually(() => fixture.service.realtime.report().eventStreams === 0)
  expect(a.sequences.toSorted((x, y) => x - y)).toEqual(a.sequences)
})

it('resumes a broken event stream from its last sequence', async () => {
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
    `/api/tokens/${A}/stream?delta=true`,
    expect.stringMatching(new RegExp(`/api/tokens/${A}/stream\\?delta=true(&lastEventId=1)?$`)),
  ])
})

it('detects a connection that died without a close', async () => {
  const client = fixture.client({ clock: new FastClock(20) })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.proxy.webSockets = 'swallow'
  const opened = fixture.proxy.opened
  // New connections are swallowed, too.
  await eventually(() => fixture.proxy.opened > opened)
  expect(client.state).not.toBe('live')
  fixture.commit(A, 2)
  fixture.proxy.webSockets = 'pass'
  await seen.reaches(2)
  await inState(client, 'live')
})

it('is offline while nothing answers, and live when the server is back', async () => {
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
  // A state from REST has no holders, and may come again with them.
  expect([...new Set(seen.sequences)]).toEqual([1, 5])
})

it('ignores the older states of a gateway that lags behind the one before', async () => {
  const behind = await RealtimeFixture.start()
  try {
    behind.store(A, 1)
    const client = fixture.client({ fetch: neverAnswers })
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

it('takes from REST a state that its connection missed, then the complete one from the connection', async () => {
  const client = fixture.client({ clock: new FastClock(20) })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1, 'webSocket')
  fixture.proxy.treat = (text, deliver) => /token\.(?:update|delta)/.test(text) || deliver(text)
  fixture.commit(A, 2)
  const alone = await seen.reaches(2, 'rest')
  expect(alone.holders).toHaveLength(20)
  fixture.proxy.treat = (text, deliver) => deliver(text)
  await seen.reaches(2, 'webSocket')
})

it('shows no wrong state when a delta is lost, and gets the whole state from the connection', async () => {
  const client = fixture.client({ fetch: neverAnswers })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1, 'webSocket')
  let lost = 0
  fixture.proxy.treat = (text, deliver) => (text.includes('token.delta') && lost++ === 0) || deliver(text)
  fixture.commit(A, 2, { name: 'Beta' })
  await eventually(() => lost === 1)
  fixture.commit(A, 3, { name: 'Beta' })
  await seen.reaches(3, 'webSocket')
  expect(seen.states.map(({ sequence, token: { name } }) => [sequence, name])).toEqual([
    [1, 'Alpha'],
    [3, 'Beta'],
  ])
  expect(lost).toBe(2)
})

it('subscribes to a hundred tokens with one message, also after a reconnect, and misses no change', async () => {
  const tokens = Array.from({ length: 150 }, (_, index) => addressOf(1 + index))
  tokens.forEach((token, index) => {
    fixture.store(token, 1_000 + index)
  })
  const client = fixture.client({ fetch: neverAnswers })
  const seen = tokens.map(token => {
    const one = new Seen()
    client.watch(token, one.listen)
    return one
  })
  await Promise.all(seen.map((one, index) => one.reaches(1_000 + index, 'webSocket')))
  const sent = () => fixture.proxy.sent.map(text => JSON.parse(text)).filter(({ type }) => type === 'subscribe')
  expect(sent().map(({ tokens, sequence }) => [tokens.length, sequence])).toEqual([
    [100, null],
    [50, null],
  ])
  const count = sent().length
  fixture.proxy.rest = 'refuse'
  fixture.proxy.webSockets = 'refuse'
  fixture.proxy.cut()
  // Their sequences stay below those of other tokens of the message.
  const [first, second] = [addressOf(10), addressOf(110)]
  fixture.commit(first, 1_050)
  fixture.commit(second, 1_120)
  fixture.proxy.webSockets = 'pass'
  client.reconnect()
  await seen[9]?.reaches(1_050, 'webSocket')
  await seen[109]?.reaches(1_120, 'webSocket')
  const later = sent().slice(count)
  expect(later.slice(0, 2).map(({ tokens, sequence }) => [tokens.length, sequence])).toEqual([
    [100, 1_099],
    [50, 1_149],
  ])
  expect(later.slice(2)).toEqual([
    { type: 'subscribe', token: first, sequence: 1_009, delta: true },
    { type: 'subscribe', token: second, sequence: 1_109, delta: true },
  ])
  expect(seen.filter(({ states }) => states.length > 1)).toHaveLength(2)
})

it('stays below the message limit of the server, however many tokens are watched at once', async () => {
  const client = fixture.client()
  const startedAt = performance.now()
  const watches = Array.from({ length: 200 }, (_, index) => client.watch(addressOf(1 + index), () => {}))
  await eventually(() => fixture.proxy.sent.some(text => text.includes('"tokens"')))
  await inState(client, 'live')
  for (const watch of watches) watch.close()
  await eventually(() => fixture.proxy.sent.length >= 180)
  // A ping, a burst of 180, then one message each 25 ms.
  expect(fixture.proxy.sent.length).toBeLessThanOrEqual(181 + (performance.now() - startedAt) / 25)
  expect(fixture.proxy.opened).toBe(1)
})

it('gives up a connection after two pings without an answer, and keeps one that answers the second', async () => {
  const clock = new SimulatedClock()
  const service = new SimulatedService(clock, () => 0, { tokens: 2, gateways: 1 })
  const { tokens, fetch } = service
  const client = createTokenwire({ url: 'http://simulated', clock, random: () => 0, WebSocket: socketsOf(service), fetch })
  client.watch(tokens[1] as Address, () => {})
  await clock.advance(1_000)
  const states: string[] = []
  client.onState(state => states.push(state))
  service.faults.messages = 'dropped'
  await clock.advance(36_000)
  service.faults.messages = 'fine'
  // The second ping is not answered yet: the first of these answers it.
  service.commit(tokens[1] as Address)
  await clock.advance(10_000)
  expect(states).toEqual([])
  service.faults.messages = 'dropped'
  await clock.advance(34_000)
  expect(states).toEqual([])
  await clock.advance(2_000)
  expect(states).toEqual(['connecting'])
  client.close()
})
