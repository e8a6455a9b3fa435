import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { FramedSnapshot } from '#actors/token/frame.ts'
import { UNRESPONSIVE_MS } from '#gateway/realtime/liveness.ts'
import { tokenUpdateSchema } from '#protocol/schemas/messages.ts'
import type { TokenSnapshot } from '#resources/tokenSnapshot.ts'
import { eventually, stepUntil } from '#test/support/eventually.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'
import { chunkedBody } from './chunkedBody.ts'
import { expectProblem } from './expectProblem.ts'
import { type RawClient, RealtimeFixture } from './startRealtime.ts'

const TOKEN = addressOf(1)
/** Makes an update some 16 KB large, so that the kernel's buffers are full soon. */
const LARGE = { description: 'd'.repeat(12_000) }

let fixture: RealtimeFixture
/** Every state that was committed, by sequence. */
let committed: Map<number, TokenSnapshot>
let sequence: number

beforeEach(() => startFixture())
afterEach(() => fixture.stop())

async function startFixture(options: Parameters<typeof RealtimeFixture.start>[1] = {}): Promise<void> {
  fixture = await RealtimeFixture.start({}, options)
  committed = new Map()
  sequence = 0
  commit()
  // The gateway of these tests has no tokens in its database: what an actor knows is indexed.
  fixture.registry.subscribe(TOKEN, {
    transport: 'eventStream',
    lagging: false,
    client: {},
    subscribed: () => {},
    holds: () => {},
    snapshot: () => {},
    update: () => false,
  })
  await eventually(() => fixture.registry.get(TOKEN)?.sequence === 1)
}

function commit(overrides: Partial<TokenSnapshot['token']> = {}): void {
  sequence++
  const snapshot = snapshotOf(TOKEN, sequence, overrides)
  committed.set(sequence, snapshot)
  fixture.commit(snapshot)
}

/** Commits blocks in ticks of their own. */
async function commitMany(count: number, overrides: Partial<TokenSnapshot['token']> = LARGE): Promise<void> {
  for (let block = 0; block < count; block++) {
    commit(overrides)
    await new Promise(setImmediate)
  }
}

const open = (headers = '', query = '') =>
  fixture.rawClient(`GET /api/tokens/${TOKEN}/stream${query} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)

const bodyOf = (client: RawClient) => chunkedBody(client.bytes).body.toString()

/** The complete events and comments, apart from the first line. */
const eventsOf = (client: RawClient) => bodyOf(client).split('\n\n').slice(1, -1)

const idsOf = (client: RawClient) => eventsOf(client).flatMap(event => (event.startsWith('event:') ? [idOf(event)] : []))

const idOf = (event: string) => Number(/^id: (\d+)$/m.exec(event)?.[1])

/** What is on the wire for a sequence, to a reader that was sent an earlier one before; 0: none. */
function wireOf(sequence: number, before: number): string {
  const framed = (one: number) => {
    const snapshot = committed.get(one)
    if (snapshot === undefined) throw new Error(`sequence ${one} was never committed`)
    return new FramedSnapshot(snapshot, null)
  }
  const position = before === 0 ? null : framed(before).position
  return new TextDecoder().decode(framed(sequence).frame('3000').since(position).eventStream)
}

/** Every byte that came is the first line, an event as it was committed, or a comment; and the sequences rise. */
function expectExact(client: RawClient): void {
  const text = bodyOf(client)
  expect(text.startsWith('retry: 2000\n\n')).toBe(true)
  let rest = text.slice('retry: 2000\n\n'.length)
  let last = 0
  while (rest !== '') {
    if (rest.startsWith(':\n\n')) {
      rest = rest.slice(3)
      continue
    }
    const id = idOf(rest)
    expect(id).toBeGreaterThan(last)
    const wire = wireOf(id, last)
    expect(rest.slice(0, wire.length) === wire.slice(0, rest.length)).toBe(true)
    last = id
    rest = rest.slice(wire.length)
  }
}

const isLagging = () => fixture.registry.get(TOKEN)?.subscribers.lagging === 1

/** The kernel's buffers grow as it likes, to tens of megabytes for a reader that was fast before: blocks are committed until they are full. */
async function stopReading(client: RawClient): Promise<void> {
  client.socket.pause()
  await stepUntil(isLagging, () => commitMany(1))
}

describe('an event stream', () => {
  it('begins with when to come back, then the snapshot, then updates: the same objects as on WebSocket', async () => {
    const client = await open('Origin: http://localhost:5173\r\n')
    await client.until(() => idsOf(client).length === 1)
    const { head } = chunkedBody(client.bytes)
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head).toMatch(/\r\nContent-Type: text\/event-stream\r\n/)
    expect(head).toMatch(/\r\nCache-Control: no-cache, no-transform\r\n/)
    expect(head).toMatch(/\r\nAccess-Control-Allow-Origin: http:\/\/localhost:5173\r\n/)
    expect(head).toMatch(/\r\nX-Request-Id: /)
    commit()
    await client.until(() => idsOf(client).length === 2)
    expect(bodyOf(client)).toBe(`retry: 2000\n\n${wireOf(1, 0)}${wireOf(2, 1)}`)
    const data = /^data: (.*)$/m.exec(eventsOf(client)[1] ?? '')?.[1] ?? ''
    const socket = await fixture.client()
    socket.send({ type: 'subscribe', token: TOKEN })
    expect(await socket.next()).toMatchObject({ type: 'subscribed', sequence: 2 })
    const { trades, ...state } = tokenUpdateSchema.parse(JSON.parse(data))
    expect(trades).toEqual([])
    expect(await socket.next()).toEqual({ ...state, trades: null })
  })

  it.each([
    ['Last-Event-ID: 1\r\n', '', []],
    ['', '?lastEventId=1', []],
    ['Last-Event-ID: 0\r\n', '', [1]],
    ['Last-Event-ID: 1\r\n', '?lastEventId=0', []],
  ])('with %j%s sends the snapshots %j', async (headers, query, snapshots) => {
    const client = await open(headers, query)
    await client.until(() => bodyOf(client).startsWith('retry: 2000\n\n'))
    commit()
    await client.until(() => idsOf(client).includes(2))
    expect(idsOf(client)).toEqual([...snapshots, 2])
  })

  it('has a comment every 15 s', async () => {
    const client = await open('Last-Event-ID: 1\r\n')
    await client.until(() => bodyOf(client) === 'retry: 2000\n\n')
    for (let comment = 1; comment <= 3; comment++) {
      fixture.pass(15)
      await client.until(() => bodyOf(client).length > 'retry: 2000\n\n'.length + 3 * (comment - 1))
      expect(bodyOf(client)).toBe(`retry: 2000\n\n${':\n\n'.repeat(comment)}`)
    }
  })

  it('is 404 for a token that is not indexed, and 400 for none', async () => {
    await expectProblem(await fixture.gateway.get(`/api/tokens/${addressOf(77)}/stream`), 404, 'token_not_found')
    await expectProblem(await fixture.gateway.get('/api/tokens/0x12/stream'), 400, 'invalid_parameter')
    expect(fixture.realtime.report().eventStreams).toBe(0)
  })

  it('leaves nothing behind when its client goes', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    expect(fixture.realtime.report()).toMatchObject({ eventStreams: 1, subscriptions: 1 })
    client.terminate()
    await eventually(() => fixture.realtime.report().eventStreams === 0)
    expect(fixture.realtime.report().subscriptions).toBe(0)
    expect(fixture.registry.health().subscribers).toBe(1)
    commit()
  })

  it('serves browsers that use fetch or EventSource', async () => {
    const abort = new AbortController()
    const response = await fetch(`${fixture.gateway.url}/api/tokens/${TOKEN}/stream`, { signal: abort.signal })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('id: 1\n')) text += (await reader?.read())?.value ?? ''
    expect(text).toMatch(/^retry: 2000\n\nevent: token\.update\nid: 1\ndata: \{/)
    abort.abort()
    await eventually(() => fixture.realtime.report().eventStreams === 0)
  })

  it('ends with what is owed when the server closes', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    commit()
    const closing = fixture.gateway.close()
    await client.closed
    expect(chunkedBody(client.bytes).isComplete).toBe(true)
    expect(idsOf(client)).toEqual([1, 2])
    await closing
  })

  it('says when to come back when the server leaves', async () => {
    const draining = await RealtimeFixture.start({ drainSeconds: 8 })
    onTestFinished(() => draining.stop())
    draining.show(draining.store(TOKEN, 1))
    const streams = []
    for (const _ of [1, 2]) {
      const { body } = await draining.gateway.get(`/api/tokens/${TOKEN}/stream`)
      streams.push(new Response(body).text())
    }
    await draining.gateway.close()
    const last = (await Promise.all(streams)).map(text => text.slice(text.lastIndexOf('retry:')))
    expect(last.toSorted()).toEqual(['retry: 0\n\n', 'retry: 4000\n\n'])
  })

  it('is not opened any more when the server closes', async () => {
    const closing = fixture.realtime.close()
    await expectProblem(await fixture.gateway.get(`/api/tokens/${TOKEN}/stream`), 503, 'data_unavailable')
    await closing
  })
})

describe('a slow reader of an event stream', () => {
  it('gets a stream that is right to the byte, and the newest update when it reads again', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    for (let round = 0; round < 3; round++) {
      await stopReading(client)
      await commitMany(40)
      client.socket.resume()
      await client.until(() => idsOf(client).at(-1) === sequence)
      expect(isLagging()).toBe(false)
    }
    expectExact(client)
    const { deliveredTotal, conflatedTotal } = fixture.realtime.report()
    expect(deliveredTotal).toBe(idsOf(client).length)
    expect(deliveredTotal + conflatedTotal).toBe(sequence)
    expect(conflatedTotal).toBeGreaterThan(0)
  })

  it('that reads a little at a time gets a stream that is right to the byte', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    await stopReading(client)
    for (let read = 0; read < 60; read++) {
      client.socket.once('data', () => client.socket.pause())
      client.socket.resume()
      await commitMany(2, read % 3 === 0 ? {} : LARGE)
    }
    client.socket.resume()
    await client.until(() => idsOf(client).at(-1) === sequence)
    expectExact(client)
  })

  it('gets everything that was written when nothing follows it', async () => {
    let capacity = 0
    // The kernel gives the first connection smaller buffers than those that follow.
    for (let probe = 0; probe < 3; probe++) {
      const client = await open()
      await client.until(() => idsOf(client).length === 1)
      const before = sequence
      await stopReading(client)
      capacity = sequence - before
      client.terminate()
      await eventually(() => fixture.realtime.report().eventStreams === 0)
    }
    // Around the point where the kernel takes no more, some of it stays with uWebSockets, which does not say so.
    for (const less of [4, 3, 2, 1, 0]) {
      const client = await open()
      await client.until(() => idsOf(client).length === 1)
      client.socket.pause()
      await commitMany(capacity - less)
      client.socket.resume()
      await client.until(() => idsOf(client).at(-1) === sequence)
      expectExact(client)
      client.terminate()
      await eventually(() => fixture.realtime.report().eventStreams === 0)
    }
  })

  it('costs a bounded amount of memory', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    await stopReading(client)
    const before = fixture.realtime.report().deliveredTotal
    await commitMany(300)
    expect(fixture.realtime.report().deliveredTotal - before).toBeLessThanOrEqual(1)
  })

  it('is closed when it has read nothing for a minute', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    await stopReading(client)
    fixture.pass(UNRESPONSIVE_MS / 1_000 - 1)
    expect(fixture.realtime.report().eventStreams).toBe(1)
    fixture.pass(1)
    expect(fixture.realtime.report().eventStreams).toBe(0)
    client.socket.resume()
    await client.closed
  })

  it('does not hold the server up when it closes', async () => {
    await fixture.stop()
    await startFixture({ closeTimeoutMs: 20 })
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    await stopReading(client)
    await fixture.gateway.close()
    expect(fixture.realtime.report().eventStreams).toBe(0)
    client.socket.resume()
    await client.closed
  })
})

describe('a reader that pauses longer than uWebSockets waits for a response to make progress', () => {
  // uWebSockets closes a response 8 to 12 s after a write that did not leave, and the sweep has to keep it open. Real time, for its timer
  // is native.
  it('is still connected after 14 s', async () => {
    const client = await open()
    await client.until(() => idsOf(client).length === 1)
    await stopReading(client)
    for (let second = 0; second < 14; second++) {
      await pause(1_000)
      fixture.pass(1)
    }
    expect(fixture.realtime.report().eventStreams).toBe(1)
    client.socket.resume()
    await client.until(() => idsOf(client).at(-1) === sequence)
    expectExact(client)
  })
})
