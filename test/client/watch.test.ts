import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { ClientFixture, FastClock, inState, neverAnswers, Seen } from './clientFixture.ts'

const A = addressOf(1)
const B = addressOf(2)

let fixture: ClientFixture
beforeEach(async () => {
  fixture = await ClientFixture.start()
})
afterEach(() => fixture.stop())

it('delivers the current state and every newer one', async () => {
  fixture.store(A, 10)
  const client = fixture.client()
  const seen = new Seen()
  client.watch(A.toUpperCase().replace('X', 'x'), seen.listen)
  const first = await seen.reaches(10, 'webSocket')
  expect(first).toMatchObject({ address: A, source: 'webSocket', token: { address: A, market: { priceUsd: expect.any(String) } } })
  expect(first.holders).toHaveLength(20)
  expect(first.latestTrade?.token).toBe(A)
  fixture.commit(A, 11)
  await seen.reaches(11)
  expect(client.state).toBe('live')
})

it('carries many watches over one connection, and one subscription per token', async () => {
  const tokens = Array.from({ length: 50 }, (_, index) => addressOf(index + 1))
  for (const token of tokens) fixture.store(token, 5)
  const client = fixture.client({ fetch: neverAnswers })
  const seen = tokens.map(token => {
    const one = new Seen()
    client.watch(token, one.listen)
    return one
  })
  await Promise.all(seen.map(one => one.reaches(5)))
  const second = new Seen()
  client.watch(A, second.listen)
  expect((await second.reaches(5)).source).toBe('webSocket')
  expect(fixture.proxy.opened).toBe(1)
  expect(fixture.proxy.sent.filter(text => text.includes(A))).toHaveLength(1)
})

it('delivers a token that is indexed only after it was watched', async () => {
  const client = fixture.client()
  const seen = new Seen()
  client.watch(A, seen.listen)
  await inState(client, 'live')
  expect(seen.states).toEqual([])
  fixture.commit(A, 3)
  await seen.reaches(3)
})

it('unsubscribes with the last watch, and disconnects some seconds later', async () => {
  fixture.store(A, 1)
  const client = fixture.client({ clock: new FastClock(20), fetch: neverAnswers })
  const [first, second] = [new Seen(), new Seen()]
  const watches = [client.watch(A, first.listen), client.watch(A, second.listen)] as const
  await Promise.all([first.reaches(1), second.reaches(1)])
  watches[0].close()
  fixture.commit(A, 2)
  await second.reaches(2)
  watches[1].close()
  await eventually(() => fixture.proxy.sent.at(-1)?.includes('unsubscribe') ?? false)
  await inState(client, 'offline')
  await eventually(() => fixture.proxy.webSocketCount === 0)
  expect(first.sequences).toEqual([1])
})

it('sends nothing for a token that is closed and watched again at once', async () => {
  fixture.store(A, 1)
  fixture.store(B, 1)
  const client = fixture.client({ fetch: neverAnswers })
  const seen = new Seen()
  client.watch(B, seen.listen)
  let watch = client.watch(A, seen.listen)
  await eventually(() => seen.states.length === 2)
  for (let n = 0; n < 20; n++) {
    watch.close()
    watch = client.watch(A, seen.listen)
  }
  fixture.commit(A, 2)
  await seen.reaches(2)
  expect(fixture.proxy.sent.filter(text => text.includes(A)).map(text => JSON.parse(text).type)).toEqual(['subscribe'])
})

it('delivers the known state to a watch that replaces another, also before the server is told', async () => {
  fixture.store(A, 1)
  const client = fixture.client()
  const [first, second, third] = [new Seen(), new Seen(), new Seen()]
  const watch = client.watch(A, first.listen)
  await first.reaches(1, 'webSocket')
  // Like a component that replaces another.
  watch.close()
  const next = client.watch(A, second.listen)
  expect((await second.reaches(1)).source).toBe('webSocket')
  // So many messages that the unsubscribe has to wait.
  const others = Array.from({ length: 190 }, (_, index) => client.watch(addressOf(1_000 + index), () => {}))
  await eventually(() => fixture.proxy.sent.some(text => text.includes('"tokens"')))
  for (const other of others) other.close()
  await eventually(() => fixture.proxy.sent.length > 150)
  next.close()
  await new Promise(resolve => setTimeout(resolve, 1))
  client.watch(A, third.listen)
  await third.reaches(1)
})

it('starts with a given state, and delivers only newer or complete ones', async () => {
  fixture.store(A, 10)
  const client = fixture.client()
  const [older, same] = [new Seen(), new Seen()]
  client.watch(A, older.listen, { initial: tokenOf(A, 9) })
  client.watch(A, same.listen, { initial: tokenOf(A, 10) })
  await older.reaches(10, 'webSocket')
  // The token is known to this watch, its holders are not.
  expect((await same.reaches(10)).holders).toHaveLength(20)
  expect(same.states).toHaveLength(1)
})

it('watches without holders, until another watch of the token wants them', async () => {
  fixture.store(A, 1)
  const client = fixture.client({ fetch: neverAnswers })
  const [small, full] = [new Seen(), new Seen()]
  client.watch(A, small.listen, { holders: false })
  expect((await small.reaches(1)).holders).toBeNull()
  client.watch(A, full.listen)
  await eventually(() => full.states.at(-1)?.holders?.length === 20)
  expect(fixture.proxy.sent.filter(text => text.includes(A)).map(text => JSON.parse(text))).toMatchObject([
    { type: 'subscribe', holders: false },
    { type: 'unsubscribe' },
    { type: 'subscribe', sequence: null },
  ])
})

it('ends a watch with its signal', async () => {
  fixture.store(A, 1)
  const client = fixture.client({ fetch: neverAnswers })
  const aborter = new AbortController()
  const [ended, other] = [new Seen(), new Seen()]
  client.watch(A, ended.listen, { signal: aborter.signal })
  client.watch(A, other.listen)
  await Promise.all([ended.reaches(1), other.reaches(1)])
  aborter.abort()
  fixture.commit(A, 2)
  await other.reaches(2)
  expect(ended.sequences).toEqual([1])
  client.watch(B, ended.listen, { signal: aborter.signal })
  fixture.commit(B, 7)
  fixture.commit(A, 3)
  await other.reaches(3)
  expect(ended.sequences).toEqual([1])
})

it('reports errors of listeners and continues', async () => {
  fixture.store(A, 1)
  const errors: unknown[] = []
  const client = fixture.client({ onError: error => errors.push(error) })
  const seen = new Seen()
  const mistake = new Error('mistake')
  client.onState(() => {
    throw mistake
  })
  client.watch(A, () => {
    throw mistake
  })
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.commit(A, 2)
  await seen.reaches(2)
  expect(errors.length).toBeGreaterThanOrEqual(3)
  expect(new Set(errors)).toEqual(new Set([mistake]))
})

it('iterates over the newest states for a slow reader, until the signal, the loop or the client ends it', async () => {
  fixture.store(A, 1)
  const client = fixture.client()
  const aborter = new AbortController()
  const seen = new Seen()
  client.watch(A, seen.listen)
  const taken: number[] = []
  for await (const state of client.watch(A, { signal: aborter.signal })) {
    taken.push(state.sequence)
    if (state.sequence === 1) {
      for (const sequence of [2, 3, 4]) fixture.commit(A, sequence)
      await seen.reaches(4)
    }
    if (state.sequence === 4) aborter.abort()
  }
  expect(taken).toEqual([1, 4])
  for await (const state of client.watch(A)) {
    expect(state.sequence).toBe(4)
    break
  }
  const waiting = client.watch(B).next()
  await new Promise(setImmediate)
  client.close()
  expect(await waiting).toEqual({ done: true, value: undefined })
  await expect(client.watch(A).next()).rejects.toMatchObject({ code: 'closed' })
})

it('opens more connections for more watches, and rejects a watch when all are full', async () => {
  await fixture.stop()
  fixture = await ClientFixture.start({ maxSubscriptionsPerConnection: 20 })
  // The client starts with a higher limit than the server has, and adapts.
  const client = fixture.client({ maxSubscriptions: 25, maxConnections: 3, fetch: neverAnswers })
  const ended: number[] = []
  const seen = Array.from({ length: 61 }, (_, index) => {
    const one = new Seen()
    fixture.store(addressOf(index + 1), 1)
    client.watch(addressOf(index + 1), one.listen, {
      onEnd: error => {
        expect(error.code).toBe('too_many_watches')
        ended.push(index)
      },
    })
    return one
  })
  await eventually(() => ended.length === 1 && seen.filter(one => one.states.length === 1).length === 60)
  expect(fixture.proxy.opened).toBe(3)
  expect(fixture.service.realtime.report().subscriptions).toBe(60)
})

it('leaves nothing behind when it is closed, whatever is in flight', async () => {
  fixture.store(A, 1)
  const clock = new FastClock(1)
  const client = fixture.client({ clock })
  const seen = new Seen()
  client.watch(A, seen.listen)
  await seen.reaches(1)
  fixture.service.gateway.reads.before = () => new Promise(() => {})
  const call = client.token(A)
  const aborter = new AbortController()
  const aborted = client.token(A, { signal: aborter.signal })
  aborter.abort()
  expect(await aborted).toMatchObject({ ok: false, error: { code: 'aborted' } })
  client.close()
  client.close()
  client.reconnect()
  expect(clock.waiting).toBe(0)
  expect(await call).toMatchObject({ ok: false, error: { code: 'closed' } })
  expect(await client.chainStats()).toMatchObject({ ok: false, error: { code: 'closed' } })
  expect(() => client.watch(A, seen.listen)).toThrow(expect.objectContaining({ code: 'closed' }))
  expect(client.state).toBe('offline')
  await eventually(() => fixture.service.realtime.report().webSocketConnections === 0)
  fixture.commit(A, 2)
  // A state from REST has no holders, and may have come again with them.
  expect(new Set(seen.sequences)).toEqual(new Set([1]))
})

it('rejects an invalid address', () => {
  const client = fixture.client()
  for (const address of ['', '0x12', `0x${'g'.repeat(40)}`])
    expect(() => client.watch(address, () => {})).toThrow(expect.objectContaining({ code: 'rejected' }))
  expect(() => client.watch(A, () => {}, { initial: tokenOf(B, 1) })).toThrow(expect.objectContaining({ code: 'rejected' }))
})
