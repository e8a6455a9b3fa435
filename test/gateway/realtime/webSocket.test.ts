import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, recentOf, snapshotOf, tradeOf } from '#test/support/snapshots.ts'
import { EPOCH_MS, RealtimeFixture } from './startRealtime.ts'

const TOKEN = addressOf(1)
const OTHER = addressOf(2)

let fixture: RealtimeFixture

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  fixture.store(TOKEN, 7)
})

afterEach(() => fixture.stop())

const subscribe = (token: string, sequence?: number) => ({ type: 'subscribe', token, ...(sequence === undefined ? {} : { sequence }) })
const unsubscribe = (token: string) => ({ type: 'unsubscribe', token })

describe('subscribing', () => {
  it('answers, then sends the snapshot, then updates', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    expect(await client.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 7 })
    expect(await client.next()).toMatchObject({
      type: 'token.update',
      sequence: 7,
      token: { address: TOKEN, sequence: 7, market: { priceUsd: '0.00003702' } },
      latestTrade: { token: TOKEN, side: 'buy' },
      holders: { length: 20 },
      reason: 'chain',
      sourceBlock: '456',
      timestamp: '2026-01-02T03:04:08.123Z',
      trades: null,
    })
    fixture.commit(snapshotOf(TOKEN, 8))
    fixture.commit(snapshotOf(TOKEN, 9))
    expect(await client.settle()).toContain('update 9')
  })

  it('sends deltas to those that ask for them, from what the connection was sent last, and full updates to all others', async () => {
    fixture.store(OTHER, 7)
    const client = await fixture.client()
    const other = await fixture.client()
    client.send({ type: 'subscribe', tokens: [TOKEN, OTHER], delta: true })
    other.send({ type: 'subscribe', token: TOKEN })
    expect(await client.settle()).toEqual(['subscribed 7', 'subscribed 7', 'update 7', 'update 7'])
    expect(await other.settle()).toEqual(['subscribed 7', 'update 7'])
    fixture.commit(snapshotOf(TOKEN, 8, { name: 'Beta' }))
    expect(await client.next()).toMatchObject({ type: 'token.delta', base: 7, sequence: 8, patch: { name: 'Beta', sequence: 8 } })
    expect(await other.next()).toMatchObject({ type: 'token.update', sequence: 8 })
    client.send({ type: 'subscribe', token: TOKEN })
    expect(await client.settle()).toEqual(['subscribed 8'])
    fixture.commit(snapshotOf(TOKEN, 9))
    expect(await client.next()).toMatchObject({ type: 'token.update', sequence: 9 })
  })

  /* What a client says of its state is never the base of a delta, since it may be of another database. */
  it.each([0, 6, 7, 8, Number.MAX_SAFE_INTEGER])(
    'begins with a full update for a client with deltas that says that it has %d',
    async held => {
      const client = await fixture.client()
      client.send({ type: 'subscribe', token: TOKEN, sequence: held, delta: true })
      expect(await client.next()).toMatchObject({ type: 'subscribed' })
      fixture.commit(snapshotOf(TOKEN, 9))
      fixture.commit(snapshotOf(TOKEN, 10))
      expect(await client.next()).toMatchObject({ type: 'token.update' })
    },
  )

  it('sends the trades since the state that the client holds, or was sent', async () => {
    const trades = [456, 457, 458].map(block => ({ ...tradeOf(TOKEN), id: `${block}-12`, blockNumber: String(block) }))
    const client = await fixture.client()
    client.send(subscribe(TOKEN, 7))
    expect(await client.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 7 })
    fixture.commit({ ...snapshotOf(TOKEN, 8), recent: recentOf(trades.slice(0, 2)) })
    expect(await client.next()).toMatchObject({ sequence: 8, trades: [{ id: '457-12' }] })
    fixture.commit({ ...snapshotOf(TOKEN, 9), recent: { ...recentOf(trades.slice(0, 1)), reorgs: 1, voidFrom: [457] } })
    expect(await client.next()).toMatchObject({ sequence: 9, trades: [], replacedFrom: '457' })
    fixture.commit({ ...snapshotOf(TOKEN, 10), recent: { ...recentOf(trades.slice(0, 2)), reorgs: 1, voidFrom: [457] } })
    const update = await client.next()
    expect(update).toMatchObject({ sequence: 10, trades: [{ id: '457-12' }] })
    expect(update).not.toHaveProperty('replacedFrom')
  })

  /* A client that came from a gateway which was some commits ahead was told these once more: its sequence fell. */
  it.each([
    ['an older one is known here', TOKEN],
    ['the token is not known here', OTHER],
  ])('tells a client nothing that is older than what it has, where %s', async (_, token) => {
    const client = await fixture.client()
    client.send(subscribe(token, 10))
    await client.next()
    for (const sequence of [9, 10]) {
      fixture.commit(snapshotOf(token, sequence))
      expect(await client.settle()).toEqual([])
    }
    fixture.commit(snapshotOf(token, 11))
    expect(await client.settle()).toEqual(['update 11'])
  })

  it('takes the sequence of several tokens as the newest of one of them only', async () => {
    fixture.store(OTHER, 5)
    const client = await fixture.client()
    client.send({ type: 'subscribe', tokens: [TOKEN, OTHER], sequence: 10 })
    expect(await client.settle()).toEqual(['subscribed 7', 'subscribed 5'])
    // The client may have an older one of this token, and another gateway's commit comes here now.
    fixture.commit(snapshotOf(OTHER, 9))
    expect(await client.settle()).toEqual(['update 9'])
  })

  it('believes the newest subscribe of what the client has', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN, 10))
    expect(await client.settle()).toEqual(['subscribed 7'])
    client.send(subscribe(TOKEN))
    expect(await client.settle()).toEqual(['subscribed 7', 'update 7'])
  })

  it('sends the snapshot to a client whose sequence is from the future, which no process of the service has given', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN, EPOCH_MS + 3_600_000))
    expect(await client.settle()).toEqual(['subscribed 7', 'update 7'])
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(await client.settle()).toEqual(['update 8'])
  })

  it('takes an address in any letter case', async () => {
    const client = await fixture.client()
    const token = addressOf(0xabcdef)
    client.send(subscribe(`0x${token.slice(2).toUpperCase()}`))
    expect(await client.next()).toEqual({ type: 'subscribed', token, sequence: null })
  })

  it.each([
    [6, ['subscribed 7', 'update 7']],
    [7, ['subscribed 7']],
    [8, ['subscribed 7']],
  ])('sends to who holds %i: %j', async (held, expected) => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN, held))
    await eventually(() => client.received.length === expected.length)
    expect(await client.settle()).toEqual(expected)
  })

  it('answers again and delivers once', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
    client.send(subscribe(TOKEN))
    client.send(subscribe(TOKEN, 3))
    expect(await client.settle()).toEqual(['subscribed 7', 'subscribed 7'])
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(await client.settle()).toEqual(['update 8'])
    expect(fixture.realtime.report().subscriptions).toBe(1)
  })

  it('leaves holders out for who does not want them, and sends nothing else in another way', async () => {
    const [full, lean] = [await fixture.client(), await fixture.client()]
    full.send(subscribe(TOKEN))
    lean.send({ ...subscribe(TOKEN), holders: false })
    const [, first] = [await full.next(), await full.next()]
    const [, firstLean] = [await lean.next(), await lean.next()]
    expect(first).toMatchObject({ holders: { length: 20 } })
    expect(firstLean).toEqual({ ...first, holders: [] })
    fixture.commit(snapshotOf(TOKEN, 8, { description: ',"holders":[],"reason":' }))
    expect(await lean.next()).toEqual({ ...(await full.next()), holders: [] })
    // Asked again in the other form, the same state comes once more.
    lean.send({ ...subscribe(TOKEN), holders: true })
    expect(await lean.next()).toEqual({ type: 'subscribed', token: TOKEN, sequence: 8 })
    expect(await lean.next()).toMatchObject({ sequence: 8, holders: { length: 20 } })
    lean.send({ ...subscribe(TOKEN), holders: true })
    expect(await lean.settle()).toEqual(['subscribed 8'])
  })

  it('lets the updates of a token flow that was not indexed', async () => {
    const client = await fixture.client()
    client.send(subscribe(OTHER))
    expect(await client.nextInShort(1)).toEqual(['subscribed null'])
    fixture.commit(snapshotOf(OTHER, 1))
    expect(await client.nextInShort(1)).toEqual(['update 1'])
  })

  it('sends nothing after unsubscribing, and a snapshot after subscribing anew', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    expect(await client.nextInShort(2)).toEqual(['subscribed 7', 'update 7'])
    client.send(unsubscribe(TOKEN))
    expect(await client.next()).toEqual({ type: 'unsubscribed', token: TOKEN })
    fixture.commit(snapshotOf(TOKEN, 8))
    expect(await client.settle()).toEqual([])
    client.send(subscribe(TOKEN))
    expect(await client.nextInShort(2)).toEqual(['subscribed 8', 'update 8'])
  })

  it('sends no update after `unsubscribed` when both fall into one tick', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    await client.nextInShort(2)
    client.send(unsubscribe(TOKEN))
    for (let sequence = 8; sequence < 60; sequence++) {
      fixture.commit(snapshotOf(TOKEN, sequence))
      await new Promise(setImmediate)
    }
    const seen = await client.settle()
    expect(seen.at(-1)).toBe('unsubscribed')
  })

  it('answers who unsubscribes from what it never watched', async () => {
    const client = await fixture.client()
    client.send(unsubscribe(OTHER))
    expect(await client.next()).toEqual({ type: 'unsubscribed', token: OTHER })
  })

  it('keeps connections apart', async () => {
    const [first, second] = [await fixture.client(), await fixture.client()]
    first.send(subscribe(TOKEN))
    second.send(subscribe(OTHER))
    await first.nextInShort(2)
    await second.nextInShort(1)
    fixture.commit(snapshotOf(TOKEN, 8), snapshotOf(OTHER, 9))
    expect(await first.settle()).toEqual(['update 8'])
    expect(await second.settle()).toEqual(['update 9'])
    first.send(subscribe(OTHER))
    expect(await first.nextInShort(2)).toEqual(['subscribed 9', 'update 9'])
    second.terminate()
    await second.closed
    fixture.commit(snapshotOf(OTHER, 10))
    expect(await first.settle()).toEqual(['update 10'])
  })

  it('delivers a block of fifty tokens to one client', async () => {
    const client = await fixture.client()
    const tokens = Array.from({ length: 50 }, (_, n) => addressOf(100 + n))
    for (const token of tokens) client.send(subscribe(token))
    await client.nextInShort(50)
    fixture.commit(...tokens.map((token, n) => snapshotOf(token, 1 + n)))
    expect(await client.nextInShort(50)).toEqual(tokens.map((_, n) => `update ${1 + n}`))
  })

  it('leaves nothing behind when a client goes', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    client.send(subscribe(OTHER))
    await client.nextInShort(3)
    expect(fixture.registry.health().subscribers).toBe(2)
    client.terminate()
    await eventually(() => fixture.realtime.report().webSocketConnections === 0)
    expect(fixture.registry.health().subscribers).toBe(0)
    expect(fixture.realtime.report().subscriptions).toBe(0)
    fixture.commit(snapshotOf(TOKEN, 8))
  })

  it('sends no message over 16,384 bytes, whatever a token is called', async () => {
    fixture.store(TOKEN, 8, { name: '😀\0"'.repeat(400_000), symbol: '\\'.repeat(30_000) })
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    expect(await client.nextInShort(2)).toEqual(['subscribed 8', 'update 8'])
    expect(client.largestBytes).toBeGreaterThan(16_300)
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
  })

  it('counts what it delivers', async () => {
    const client = await fixture.client()
    client.send(subscribe(TOKEN))
    await client.nextInShort(2)
    const before = fixture.realtime.report().deliveredTotal
    fixture.commit(snapshotOf(TOKEN, 8))
    await client.nextInShort(1)
    expect(fixture.realtime.report()).toMatchObject({
      webSocketConnections: 1,
      subscriptions: 1,
      deliveredTotal: before + 1,
      conflatedTotal: 0,
      commitToDeliveryMs: { p50: 0.01, p99: 0.01 },
    })
  })
})
