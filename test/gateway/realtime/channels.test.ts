import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectProblem } from '#test/gateway/http/expectProblem.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { chunkedBody } from './chunkedBody.ts'
import { type Client, RealtimeFixture } from './startRealtime.ts'

let fixture: RealtimeFixture
let client: Client

beforeEach(async () => {
  const launchpads = ['wow', 'clanker'].map(name => ({ name, adapter: 'wow', startBlock: 0, contracts: {} }))
  fixture = await RealtimeFixture.start({ launchpads: { weth: addressOf(0xee), launchpads } })
  client = await fixture.client()
})

afterEach(() => fixture.stop())

describe('a subscription to a channel', () => {
  it('repeats its filters as they were understood, and tells of the events that fit', async () => {
    const maker = addressOf(0xab)
    client.send({
      type: 'subscribe',
      channel: 'trades',
      id: 'whales',
      filters: { makers: [maker.toUpperCase().replace('X', 'x')], minWeth: 1e-7 },
    })
    expect(await client.next()).toEqual({
      type: 'subscribed',
      id: 'whales',
      channel: 'trades',
      filters: { makers: [maker], minWeth: '0.0000001' },
      cursor: '0-0',
      reorgs: 0,
    })
    fixture.trade([1, 0xab], [2, 0xac], [3, 0xab])
    const told = await client.next()
    expect(told).toMatchObject({ type: 'trades', id: 'whales', cursor: '1-7', reorgs: 0, block: '1' })
    expect('data' in told && told.data).toMatchObject([
      { id: '1-1', token: addressOf(1), maker },
      { id: '1-7', token: addressOf(3), maker },
    ])
  })

  it('is told of the tokens whose value crosses its bound, once in each direction, and of those that it missed', async () => {
    const subscribe = (id: string, filters: object) => client.send({ type: 'subscribe', channel: 'crossings', id, filters })
    subscribe('up', { of: 'holders', above: 2 })
    subscribe('down', { of: 'holders', below: '2' })
    subscribe('other', { of: 'priceWeth', above: '0.1' })
    const accepted = [await client.next(), await client.next(), await client.next()]
    expect(accepted[0]).toMatchObject({ channel: 'crossings', filters: { of: 'holders', above: '2' }, cursor: '0-0' })
    fixture.trade([1, 1])
    fixture.trade([1, 1], [2, 1])
    fixture.trade([1, 1])
    const told = await client.settled()
    expect(told).toMatchObject([
      {
        type: 'crossings',
        id: 'up',
        cursor: '2-4',
        block: '2',
        data: [addressOf(1), addressOf(2)].map(address => ({ token: { address } })),
      },
    ])
    expect(told[0]).toMatchObject({ data: [{ of: 'holders', before: '1', after: '2' }, { of: 'holders' }] })
    const away = await fixture.client()
    away.send({ type: 'subscribe', channel: 'crossings', filters: { of: 'holders', above: '3' }, after: '1-1', reorgs: 0 })
    expect(await away.nextInShort(2)).toEqual(['subscribed 1-1', 'crossings 3-1'])
  })

  it('is told of what it missed, of a reorg, and of what took its place', async () => {
    fixture.trade([1, 1])
    fixture.trade([2, 1])
    client.send({ type: 'subscribe', channel: 'trades', after: '1-1', reorgs: 0 })
    expect(await client.nextInShort(2)).toEqual(['subscribed 1-1', 'trades 2-1'])
    fixture.events.drop(1)
    fixture.trade([3, 1], [3, 2])
    expect(await client.nextInShort(2)).toEqual(['reorg 1-9007199254740991', 'trades 2-4'])
    const away = await fixture.client()
    away.send({ type: 'subscribe', channel: 'trades', after: '2-1', reorgs: 0 })
    expect(await away.nextInShort(3)).toEqual(['subscribed 2-1', 'reorg 1-9007199254740991', 'trades 2-4'])
  })

  it('ends with unsubscribe, by id or channel', async () => {
    for (const message of [{ channel: 'trades' }, { channel: 'trades', id: 'b' }]) client.send({ type: 'subscribe', ...message })
    expect(await client.nextInShort(2)).toEqual(['subscribed 0-0', 'subscribed 0-0'])
    client.send({ type: 'unsubscribe', channel: 'trades' })
    expect(await client.next()).toEqual({ type: 'unsubscribed', id: 'trades' })
    fixture.trade([1, 1])
    expect(await client.next()).toMatchObject({ type: 'trades', id: 'b' })
    client.send({ type: 'unsubscribe', id: 'b' })
    expect(await client.next()).toEqual({ type: 'unsubscribed', id: 'b' })
    fixture.trade([1, 1])
    expect(await client.settle()).toEqual([])
    expect(fixture.realtime.report().subscriptions).toBe(0)
  })

  it('is replaced by one of the same id', async () => {
    client.send({ type: 'subscribe', channel: 'trades', filters: { tokens: [addressOf(1)] } })
    client.send({ type: 'subscribe', channel: 'trades', filters: { tokens: [addressOf(2)] } })
    expect((await client.next()).type).toBe('subscribed')
    fixture.trade([1, 1], [2, 1])
    const messages = [await client.next(), ...(await client.settled())]
    expect(messages.filter(({ type }) => type === 'trades')).toMatchObject([{ cursor: '1-4' }])
    expect(fixture.realtime.report().subscriptions).toBe(1)
  })

  it('may be one of twenty', async () => {
    for (let n = 0; n <= 20; n++) client.send({ type: 'subscribe', channel: 'launches', id: `s${n}` })
    const messages = await client.settled()
    expect(messages.filter(({ type }) => type === 'error')).toEqual([
      expect.objectContaining({ code: 'too_many_subscriptions', id: 's20', message: expect.stringContaining('20') }),
    ])
  })

  it('costs nothing after thousands of others', async () => {
    for (let round = 0; round < 40; round++) {
      const one = await fixture.client()
      for (let n = 0; n < 20; n++)
        one.send({ type: 'subscribe', channel: 'trades', id: `${n}`, filters: { tokens: [addressOf(round * 20 + n)] } })
      await one.settle()
      one.terminate()
    }
    client.send({ type: 'subscribe', channel: 'trades' })
    expect(await client.nextInShort(1)).toEqual(['subscribed 0-0'])
    fixture.trade([1, 1])
    expect(await client.nextInShort(1)).toEqual(['trades 1-1'])
  })

  it.each([
    [{ chanel: 'trades' }, 'a subscribe must have a token, tokens or a channel'],
    [{ channel: 'blocks' }, 'the channel must be one of trades, launches, graduations, crossings, list, candles'],
    [{ channel: 'trades', filters: [] }, 'filters must be an object'],
    [{ channel: 'trades', filters: { tokens: ['0x12'] } }, 'tokens must be 1 to 100 addresses'],
    [{ channel: 'trades', filters: { tokens: {} } }, 'tokens must be 1 to 100 addresses'],
    [{ channel: 'trades', filters: { makers: Array.from({ length: 101 }, (_, n) => addressOf(n)) } }, 'makers must be 1 to 100'],
    [{ channel: 'trades', filters: { side: 'both' } }, 'side must be one of buy, sell, got "both"'],
    [{ channel: 'trades', filters: { minWeth: '1e3' } }, 'minWeth must be a decimal number'],
    // A misspelt filter once selected everything.
    [{ channel: 'trades', filters: { minWETH: '1' } }, 'unknown filter "minWETH"; did you mean minWeth?'],
    [{ channel: 'graduations', filters: { status: ['bonding'] } }, 'status must be 1 to 2 of completed, migrated'],
    [{ channel: 'crossings', filters: { above: '1' } }, 'of is required: it must be one of marketCapWeth, marketCapUsd, priceWeth'],
    [{ channel: 'crossings', filters: { of: 'volume', above: '1' } }, 'of must be one of marketCapWeth'],
    [{ channel: 'crossings', filters: { of: 'holders' } }, 'crossings must have above or below, and not both'],
    [{ channel: 'crossings', filters: { of: 'holders', above: 2, below: 1 } }, 'crossings must have above or below, and not both'],
    [{ channel: 'crossings', filters: { of: 'holders', above: '1e3' } }, 'above must be a decimal number'],
    [{ channel: 'launches', filters: { makers: [] } }, 'unknown filter "makers"; did you mean'],
    [{ channel: 'list', filters: { ordr: 'asc' } }, 'unknown filter "ordr"; did you mean order?'],
    [{ channel: 'launches', filters: { launchpads: ['pump'] } }, 'launchpads must be of wow, clanker, got "pump"'],
    [{ channel: 'trades', after: 'yesterday' }, 'after must be <block>-<logIndex>, got'],
    [{ channel: 'trades', after: 12 }, 'after must be <block>-<logIndex>'],
    [{ channel: 'trades', after: ['12-1'] }, 'after must be <block>-<logIndex>'],
    [{ channel: 'trades', after: '1-1', reorgs: -1 }, 'reorgs must be a non-negative'],
  ])('of %j is refused, with what was expected', async (message, expected) => {
    client.send({ type: 'subscribe', ...message, id: 'mine' })
    expect(await client.next()).toEqual({ type: 'error', code: 'invalid_message', id: 'mine', message: expect.stringContaining(expected) })
  })

  it.each(['"filters":{"tokens":?}', '"filters":{"minWeth":?}', '"filters":[?]', '"after":?', '"reorgs":?'])(
    'with %s is refused where a value nests deeply',
    async field => {
      for (const [opening, closing] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const depth = Math.floor(16_000 / (opening.length + closing.length))
        const value = `${opening.repeat(depth)}1${closing.repeat(depth)}`
        client.send(`{"type":"subscribe","channel":"trades","id":"deep",${field.replace('?', value)}}`)
        expect(await client.next()).toMatchObject({ type: 'error', code: 'invalid_message', id: 'deep' })
      }
    },
  )

  it('of a hundred tokens and makers fits, with a block of a thousand trades in messages of 16 KB', async () => {
    const many = Array.from({ length: 100 }, (_, n) => addressOf(n + 1))
    client.send({ type: 'subscribe', channel: 'trades', id: '\u0001'.repeat(64), filters: { tokens: many, makers: many } })
    expect((await client.next()).type).toBe('subscribed')
    fixture.trade(...Array.from({ length: 1_000 }, (_, n): [number, number] => [1 + (n % 100), 1 + (n % 99)]))
    const told: string[] = []
    while (told.length < 1_000) {
      const message = await client.next()
      if (message.type !== 'trades') throw new Error(`a ${message.type} among the trades`)
      told.push(...message.data.map(({ id }) => id))
    }
    expect(told).toEqual(Array.from({ length: 1_000 }, (_, n) => `1-${3 * n + 1}`))
    expect(client.largestBytes).toBeLessThanOrEqual(16_384)
    expect(client.largestBytes).toBeGreaterThan(14_000)
  })
})

describe('an event stream of a channel', () => {
  const open = (query: string, headers = '') => fixture.rawClient(`GET /api/stream${query} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)
  const eventsOf = (bytes: Buffer) =>
    chunkedBody(bytes)
      .body.toString()
      .split('\n\n')
      .filter(event => event.startsWith('event: '))
      .map(event => /^event: (\w+)\nid: ([\d-]+)\ndata: (.*)$/.exec(event))
      .map(match => ({ type: match?.[1], id: match?.[2], data: JSON.parse(match?.[3] ?? 'null') as unknown }))

  it('tells where it begins, then what happens, with an id to resume from', async () => {
    const stream = await open(`?channel=trades&tokens=${addressOf(1)},${addressOf(2)}`)
    await stream.until(bytes => eventsOf(bytes).length === 1)
    fixture.trade([1, 1], [3, 1])
    fixture.events.drop(1)
    fixture.trade([2, 1])
    const events = eventsOf(await stream.until(bytes => bytes.includes('event: trades')))
    expect(events[0]).toMatchObject({ type: 'subscribed', id: '0-0-0', data: { filters: { tokens: [addressOf(1), addressOf(2)] } } })
    expect(events.at(-1)).toMatchObject({ type: 'trades', id: '1-1-1', data: { type: 'trades', id: 'trades', block: '1' } })
    const resumed = await open('?channel=trades&lastEventId=0-0', 'Last-Event-ID: 1-1-0\r\n')
    const replayed = eventsOf(await resumed.until(bytes => bytes.includes('event: trades')))
    expect(replayed.map(({ type, id }) => `${type} ${id}`)).toEqual(['subscribed 1-1-0', 'reorg 0-9007199254740991-1', 'trades 1-1-1'])
  })

  it.each([
    ['', 'channel is required: it must be one of trades, launches, graduations, crossings, list, candles'],
    ['?channel=blocks', 'channel must be one of'],
    ['?channel=trades&side=up', 'side must be one of'],
    ['?channel=crossings&of=price&above=1', 'of must be one of marketCapWeth'],
    ['?channel=crossings&of=holders', 'crossings must have above or below'],
    ['?channel=launches&launchpads=pump', 'launchpads must be of wow, clanker'],
    ['?channel=trades&lastEventId=x', 'lastEventId must be the id of an event'],
  ])('of %j is refused', async (query, expected) => {
    expect(await expectProblem(await fixture.gateway.get(`/api/stream${query}`), 400, 'invalid_parameter')).toContain(expected)
  })

  it('is refused to pages of other origins', async () => {
    const response = await fixture.gateway.get('/api/stream?channel=trades', { origin: 'https://evil.example' })
    await expectProblem(response, 403, 'origin_not_allowed')
  })
})

describe('a client that does not read', () => {
  it('costs a bounded buffer, and gets every event once it reads', async () => {
    const slow = await fixture.rawWebSocket()
    slow.sendText(JSON.stringify({ type: 'subscribe', channel: 'trades' }))
    await slow.until(() => slow.messages.length === 1)
    slow.socket.pause()
    const blocks = 40
    for (let block = 0; block < blocks; block++) {
      fixture.trade(...Array.from({ length: 230 }, (_, n): [number, number] => [1 + n, 1]))
      await new Promise(setImmediate)
    }
    slow.socket.resume()
    const ids = () => slow.messages.flatMap(message => (message.type === 'trades' ? message.data.map(({ id }) => id) : []))
    await slow.until(bytes => bytes.includes(`"id":"${blocks}-688"`))
    expect(ids()).toEqual(fixture.events.events.map(({ place }) => `${place.blockNumber}-${place.logIndex}`))
  })
})
