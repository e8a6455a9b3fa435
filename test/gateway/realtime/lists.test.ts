import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LIST_COLUMNS } from '#protocol/listCells.ts'
import type { Token } from '#resources/token.ts'
import { createTestLists } from '#test/support/actors.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { type Client, RealtimeFixture } from './startRealtime.ts'

let fixture: RealtimeFixture
let client: Client
let reads: number

beforeEach(async () => {
  fixture = await RealtimeFixture.start()
  client = await fixture.client()
  reads = 0
  fixture.gateway.reads.before = async () => {
    reads++
  }
})

afterEach(() => fixture.stop())

const worth = (n: number, marketCapWeth: string, more: Partial<Token> = {}) => {
  const token = tokenOf(addressOf(n), n, more)
  return { ...token, market: { ...token.market, marketCapWeth } }
}

function store(...tokens: readonly Token[]): void {
  fixture.gateway.reads.stored.tokens = [...tokens]
  fixture.lists.changed(new Set(tokens.map(({ address }) => address)))
}

/** The cells of a column of the next message, which is a list. */
async function nextCells(column: string, of: Client = client): Promise<readonly unknown[]> {
  const message = await of.next()
  if (message.type !== 'list') throw new Error(`a ${message.type} where a list was expected`)
  expect(message.columns).toEqual(LIST_COLUMNS)
  return message.data.map(row => row[message.columns.indexOf(column)])
}

/** The addresses of the rows that a client has after merging all changes. */
function heldBy({ received }: Client): readonly unknown[] {
  let held: readonly unknown[] = []
  for (const message of received) {
    if (message.type === 'list') held = message.data.map(row => row[0])
    else if (message.type === 'list.delta') held = merged(held, message.data)
  }
  return held
}

const merged = (before: readonly unknown[], data: readonly (number | readonly unknown[])[]) =>
  data.map(entry => (typeof entry === 'number' ? before[entry] : entry[0]))

describe('a subscription to a list', () => {
  it('gets only tokens of the front end that it names, in any letter case', async () => {
    store(worth(1, '1', { surface: 'bankr' }), worth(2, '2'), worth(3, '3', { surface: addressOf(9) }))
    for (const [surface, found] of [
      ['Bankr', addressOf(1)],
      [addressOf(9).toUpperCase().replace('X', 'x'), addressOf(3)],
    ]) {
      client.send({ type: 'subscribe', channel: 'list', id: surface, filters: { surface } })
      expect(await client.next()).toMatchObject({ type: 'subscribed' })
      expect(await nextCells('address')).toEqual([found])
    }
  })

  it('gets the list that REST answers, and another one whenever it has changed', async () => {
    store(worth(1, '1'), worth(2, '2'), worth(3, '3'))
    client.send({ type: 'subscribe', channel: 'list', id: 'top', filters: { sort: 'marketCap', limit: 2 } })
    expect(await client.next()).toEqual({
      type: 'subscribed',
      id: 'top',
      channel: 'list',
      filters: { sort: 'marketCap', order: 'desc', limit: 2 },
    })
    expect(await nextCells('address')).toEqual([addressOf(3), addressOf(2)])
    store(worth(1, '10'), worth(2, '2'), worth(3, '3'))
    expect(await nextCells('address')).toEqual([addressOf(1), addressOf(3)])
    // The third one is not in the list.
    store(worth(1, '10'), worth(2, '2.5'), worth(3, '3'))
    await eventually(() => reads === 3)
    expect(await client.settle()).toEqual([])
    store(worth(1, '10'), worth(2, '2.5'), worth(3, '4'))
    expect(await nextCells('marketCapWeth')).toEqual(['10', '4'])
    const lists = client.received.filter(({ type }) => type === 'list')
    expect(lists.map(message => 'sequence' in message && message.sequence)).toEqual([
      1_795_000_000_000, 1_795_000_000_001, 1_795_000_000_002,
    ])
  })

  it('gets changes when it merges them: of the list that it was sent last, and each leads to the whole list', async () => {
    const merging = await fixture.client()
    const filters = { sort: 'marketCap', limit: 3 }
    store(worth(1, '1'), worth(2, '2'), worth(3, '3'), worth(4, '4'))
    merging.send({ type: 'subscribe', channel: 'list', delta: true, filters })
    client.send({ type: 'subscribe', channel: 'list', filters })
    const first = (await merging.nextInShort(2), merging.received.at(-1))
    await client.nextInShort(2)
    if (first?.type !== 'list') throw new Error('the first message is not the whole list')
    let held: readonly unknown[] = first.data
    let { sequence } = first
    // A row rises, one leaves, one comes, all change, none is left.
    for (const caps of [['1', '5', '3', '4'], ['1', '5', '6', '0'], ['7', '5', '6', '0'], ['10', '20', '30', '40'], []]) {
      store(...caps.map((cap, index) => worth(index + 1, cap)))
      fixture.lists.changed(null)
      const whole = await client.next()
      const change = await merging.next()
      if (whole.type !== 'list') throw new Error(`a ${whole.type} where a list was expected`)
      if (change.type === 'list.delta') {
        const before = held
        expect(change.base).toBe(sequence)
        held = change.data.map(entry => (typeof entry === 'number' ? before[entry] : entry))
        expect(JSON.stringify(change).length).toBeLessThan(JSON.stringify(whole).length)
      } else if (change.type === 'list') held = change.data
      expect(held).toEqual(whole.data)
      sequence = whole.sequence
    }
    expect(merging.received.filter(({ type }) => type === 'list.delta')).toHaveLength(5)
    merging.send({ type: 'subscribe', channel: 'list', delta: 1 })
    expect(await merging.next()).toMatchObject({ type: 'error', message: 'delta must be true or false' })
  })

  it('is read once for all that have the same one, and only when a commit can have changed it', async () => {
    store(worth(1, '1'), worth(2, '2'))
    const clients = [client, await fixture.client(), await fixture.client()]
    const [first] = clients as [Client]
    for (const one of clients) {
      one.send({ type: 'subscribe', channel: 'list', filters: { addresses: [addressOf(1)] } })
      expect((await one.next()).type).toBe('subscribed')
      expect(await nextCells('address', one)).toEqual([addressOf(1)])
    }
    expect(reads).toBe(1)
    fixture.lists.changed(new Set([addressOf(2)]))
    fixture.lists.changed(new Set())
    expect([await first.settle(), reads]).toEqual([[], 1])
    store(worth(1, '5'))
    for (const one of clients) expect(await nextCells('marketCapWeth', one)).toEqual(['5'])
    expect(reads).toBe(2)
  })

  it('fits into a message, whatever creators write', async () => {
    const nasty = {
      name: '\u0001"\ud800'.repeat(9_000),
      symbol: '\u0007'.repeat(9_000),
      imageUrl: `https://example.org/${'\u0002'.repeat(2_000)}`,
    }
    store(...Array.from({ length: 50 }, (_, n) => worth(n + 1, `${n}.${'123456789'.repeat(3)}`, nasty)))
    client.send({ type: 'subscribe', channel: 'list', id: '\u0001'.repeat(64) })
    expect((await client.next()).type).toBe('subscribed')
    const addresses = await nextCells('address')
    expect(addresses).toHaveLength(50)
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
    const plain = { name: 'A plain name', symbol: 'PLAIN', imageUrl: 'https://example.org/image.png' }
    store(...Array.from({ length: 50 }, (_, n) => worth(n + 1, '12.5', plain)))
    expect(new Set(await nextCells('symbol'))).toEqual(new Set(['PLAIN']))
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
  })

  it('has up to 200 rows for clients that merge changes, in messages of 16 KB', async () => {
    const tokens = Array.from({ length: 210 }, (_, n) =>
      worth(n + 1, `${n + 1}`, { name: 'A name of twenty units', symbol: '\u0007'.repeat(32) }),
    )
    store(...tokens)
    const filters = { sort: 'marketCap', limit: 200 }
    client.send({ type: 'subscribe', channel: 'list', filters })
    expect(await client.next()).toMatchObject({ type: 'error', message: 'limit must be at most 50 without delta, got 200' })
    client.send({ type: 'subscribe', channel: 'list', delta: true, filters })
    await eventually(() => client.received.length > 2 && heldBy(client).length === 200)
    expect(heldBy(client)).toEqual(Array.from({ length: 200 }, (_, n) => addressOf(210 - n)))
    // All rows change, in the other order.
    store(...tokens.map((token, n) => ({ ...token, market: { ...token.market, marketCapWeth: `${1_000 - n}` } })))
    await eventually(() => heldBy(client)[199] === addressOf(200))
    expect(heldBy(client)).toEqual(Array.from({ length: 200 }, (_, n) => addressOf(n + 1)))
    expect(client.received.at(-1)).toMatchObject({ type: 'list.delta', matches: 210 })
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
  })

  it('ends with unsubscribe, and costs nothing then', async () => {
    client.send({ type: 'subscribe', channel: 'list' })
    expect(await client.nextInShort(2)).toEqual(['subscribed list', 'list 0'])
    client.send({ type: 'unsubscribe', channel: 'list' })
    expect(await client.next()).toEqual({ type: 'unsubscribed', id: 'list' })
    store(worth(1, '1'))
    expect([await client.settle(), reads]).toEqual([[], 1])
  })

  it('is tried again at the next sweep when the database does not answer', async () => {
    fixture.gateway.reads.before = async () => {
      reads++
      if (reads === 1) throw new Error('the database is away')
    }
    client.send({ type: 'subscribe', channel: 'list' })
    expect(await client.settle()).toEqual(['subscribed list'])
    fixture.lists.sweep()
    expect(await client.nextInShort(1)).toEqual(['list 0'])
    fixture.lists.sweep()
    expect([await client.settle(), reads]).toEqual([[], 2])
  })

  it.each([
    [{ sort: 'luck' }, 'sort must be one of'],
    [{ limit: 201 }, 'limit must be an integer from 1 to 200'],
    [{ addresses: ['0x12'] }, 'addresses must be 1 to 100'],
  ])('with %j is refused', async (filters, expected) => {
    client.send({ type: 'subscribe', channel: 'list', filters })
    expect(await client.next()).toEqual({ type: 'error', code: 'invalid_message', id: 'list', message: expect.stringContaining(expected) })
  })

  it('is an event stream as well', async () => {
    store(worth(1, '1'))
    const stream = await fixture.rawClient('GET /api/stream?channel=list&sort=marketCap&limit=5 HTTP/1.1\r\nHost: a\r\n\r\n')
    const body = (await stream.until(bytes => bytes.includes('event: list'))).toString()
    expect(body).toContain('id: 1795000000000')
    expect(body).toContain(addressOf(1))
    const path = '/api/stream?channel=list&sort=marketCap&limit=5&delta=true'
    // What a client says that it has is never the base of a change: its list may be another server's.
    const heldBefore = ['', 'Last-Event-ID: 1795000000000\r\n', 'Last-Event-ID: 9007199254740991\r\n', 'Last-Event-ID: x\r\n']
    const streams = await Promise.all(heldBefore.map(header => fixture.rawClient(`GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`)))
    for (const merging of streams) await merging.until(bytes => bytes.includes('event: list\n'))
    store(worth(1, '2'))
    for (const merging of streams) await merging.until(bytes => bytes.includes('event: list.delta\n'))
  })
})

type TestSubscriber = Parameters<typeof fixture.lists.subscribe>[1]

const strangers = (count: number) => Array.from({ length: count }, (_, n) => `client ${n}`)
const subscriberOf = (client: string): TestSubscriber => ({ client, state: () => undefined })
const listOf = (minHolders: number) => ({ sort: 'createdAt', order: 'desc', limit: 10, minHolders }) as const

describe('an event stream of one list too many', () => {
  // It once got 200, no event, and the end.
  it.each([
    ['429 Too Many Requests', 'rate_limited', 'the connections of a client address may have 100 different lists', ['127.0.0.1']],
    ['503 Service Unavailable', 'data_unavailable', 'the server watches as many different lists as it may', strangers(10)],
  ])('is answered with %s, which says why', async (status, code, detail, clients) => {
    watchLists(clients)
    const stream = await fixture.rawClient('GET /api/stream?channel=list&sort=marketCap HTTP/1.1\r\nHost: a\r\n\r\n')
    const answer = (await stream.until(bytes => bytes.includes('requestId'))).toString()
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`))
    expect(answer).toContain('\r\nRetry-After: 60\r\n')
    expect(answer).toContain(`"detail":"${detail}","code":"${code}"`)
    expect(fixture.realtime.report().eventStreams).toBe(0)
  })

  it('takes no connection from its address', async () => {
    watchLists(['127.0.0.1'])
    for (let n = 0; n < 200; n++) {
      const response = await fetch(`${fixture.gateway.url}/api/stream?channel=list&sort=marketCap`)
      expect(await response.json()).toMatchObject({ detail: expect.stringContaining('different lists') })
    }
  })
})

/** Lists for each client, a hundred unless it is said otherwise. */
function watchLists(clients: readonly string[], each = 100): void {
  for (const [at, client] of clients.entries()) {
    for (let limit = 1; limit <= each; limit++) {
      fixture.lists.subscribe({ sort: 'holders', order: 'desc', limit, minHolders: at }, subscriberOf(client))
    }
  }
}

describe('a subscription that takes the place of another one of its id', () => {
  // The other one was once ended before this one was refused, so the client had neither.
  it('leaves the other one when it is refused', async () => {
    client.send({ type: 'subscribe', channel: 'trades', id: 'mine' })
    expect((await client.next()).type).toBe('subscribed')
    watchLists(['127.0.0.1'])
    client.send({ type: 'subscribe', channel: 'list', id: 'mine', filters: { limit: 7 } })
    expect(await client.next()).toMatchObject({ type: 'error', code: 'too_many_subscriptions', id: 'mine' })
    fixture.trade([1, 2])
    expect(await client.next()).toMatchObject({ type: 'trades', id: 'mine' })
  })

  it.each([
    [['127.0.0.1'], 99],
    [strangers(27), 37],
  ])('has the place of the other one within the limits', async (clients, each) => {
    client.send({ type: 'subscribe', channel: 'list', id: 'mine', filters: { limit: 6 } })
    expect(await client.nextInShort(2)).toEqual(['subscribed list', 'list 0'])
    watchLists(clients, each)
    client.send({ type: 'subscribe', channel: 'list', id: 'mine', filters: { limit: 7 } })
    expect(await client.nextInShort(2)).toEqual(['subscribed list', 'list 0'])
    client.send({ type: 'subscribe', channel: 'list', id: 'another', filters: { limit: 8 } })
    expect(await client.next()).toMatchObject({ type: 'error', code: 'too_many_subscriptions' })
  })
})

describe('lists', () => {
  it('are bounded in number', async () => {
    const lists = createTestLists()
    const clients = Array.from({ length: 11 }, (_, n) => subscriberOf(`${n}`))
    const [first, last] = [clients[0], clients[10]] as [TestSubscriber, TestSubscriber]
    for (const [share, subscriber] of clients.slice(0, 10).entries())
      for (let n = 0; n < 100; n++) expect(lists.subscribe(listOf(share * 100 + n), subscriber)).toBeNull()
    expect(lists.subscribe(listOf(1_000), last)).toBe('tooMany')
    expect(lists.subscribe(listOf(7), last)).toBeNull()
    lists.unsubscribe(listOf(5), first)
    expect(lists.subscribe(listOf(1_000), last)).toBeNull()
    await lists.stop()
  })

  it('are bounded for each client, but for those that others watch too', async () => {
    const lists = createTestLists()
    const [ours, again, theirs] = [subscriberOf('a'), subscriberOf('a'), subscriberOf('b')]
    for (let n = 0; n < 100; n++) expect(lists.subscribe(listOf(n), ours)).toBeNull()
    expect(lists.subscribe(listOf(100), ours)).toBe('tooManyOfClient')
    expect(lists.subscribe(listOf(100), theirs)).toBeNull()
    expect(lists.subscribe(listOf(100), ours)).toBeNull()
    // A second subscriber of the client takes no more of its share, and keeps what the first one leaves.
    expect(lists.subscribe(listOf(3), again)).toBeNull()
    for (const n of [3, 100]) lists.unsubscribe(listOf(n), ours)
    expect(lists.subscribe(listOf(101), ours)).toBe('tooManyOfClient')
    lists.unsubscribe(listOf(3), again)
    expect(lists.subscribe(listOf(101), ours)).toBeNull()
    await lists.stop()
  })

  // 50 connections of one address took all 1,000, and other clients were told that the server had no more.
  it('of all connections of an address are its share, and leave the others theirs', async () => {
    const subscribe = (of: Client, n: number) => of.send({ type: 'subscribe', channel: 'list', id: `${n}`, filters: { minHolders: n } })
    const greedy: Client[] = []
    for (let n = 0; n < 100; n += 20) {
      const one = await fixture.client({ localAddress: '127.0.0.2' })
      greedy.push(one)
      for (let id = n; id < n + 20; id++) subscribe(one, id)
      await one.nextInShort(40)
    }
    const next = await fixture.client({ localAddress: '127.0.0.2' })
    subscribe(next, 100)
    expect(await next.next()).toEqual({
      type: 'error',
      code: 'too_many_subscriptions',
      id: '100',
      message: 'the connections of a client address may have 100 different lists',
    })
    subscribe(client, 100)
    expect((await client.next()).type).toBe('subscribed')
    greedy[0]?.terminate()
    await eventually(() => fixture.realtime.report().webSocketConnections === 6)
    subscribe(next, 101)
    expect((await next.next()).type).toBe('subscribed')
  })
})
