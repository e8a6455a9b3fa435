import { afterEach, expect, it, vi } from 'vitest'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { LiveHandle } from '#client/follow.ts'
import type { ListState } from '#client/generated/types.ts'
import { createLive } from '#client/live/createLive.ts'
import { firstDifference } from '#client/live/foldCandleChange.ts'
import type { CandlesState } from '#client/live/liveTypes.ts'
import { LIST_CELLS } from '#protocol/listCells.ts'
import type { Candle } from '#resources/candles.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf } from '#test/support/snapshots.ts'
import { ChannelService } from './channelService.ts'
import { SimulatedClock } from './simulatedClock.ts'

const A = addressOf(1)
const MAKER = 10

let fixture: Fixture
const start = () => (fixture = new Fixture())
afterEach(() => {
  fixture.client.close()
  vi.unstubAllGlobals()
})

const CANDLES = `/api/tokens/${A}/candles`

it('reads states over REST while WebSockets and event streams are blocked, and no longer than that', async () => {
  const { service } = start()
  service.commit([1, MAKER], [2, MAKER])
  fixture.block()
  fixture.follow()
  await fixture.pass(3)
  await fixture.expectTruth()
  service.commit([1, MAKER], [1, MAKER])
  await fixture.pass(20)
  await fixture.expectTruth()
  expect(fixture.client.state).toBe('fallback')
  // All is asked for again, and nothing has changed.
  await fixture.pass(20)
  expect(fixture.candles?.changedFrom).toBe(Number.POSITIVE_INFINITY)
  expect(fixture.asked(CANDLES)).toBe(5)
  service.faults.webSocket = 'fine'
  await fixture.pass(60)
  expect(fixture.client.state).toBe('live')
  // The rows of the channel are those of REST.
  const listed = fixture.list?.data
  service.commit([1, MAKER])
  await fixture.pass(5)
  await fixture.expectTruth()
  expect(fixture.list?.data[1]).toEqual(listed?.[0])
  const requests = service.requests.length
  await fixture.pass(300)
  expect(service.requests.length).toBe(requests)
})

it('waits longer after each read that failed, tells the error, and reads again when the page is visible', async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', page)
  const { service } = start()
  fixture.block()
  service.faults.rest = 'failing'
  const told: unknown[] = []
  fixture.live.candles({ token: A }, state => (fixture.candles = state), { onError: error => told.push(error) })
  // After 5, 10, 20, 40 and then every 60 s, three attempts each.
  await fixture.pass(300)
  expect(fixture.asked(CANDLES)).toBe(8 * 3)
  expect(told).toHaveLength(8)
  expect(told[0]).toMatchObject({ code: 'unavailable' })
  expect(fixture.client.state).toBe('offline')
  page.visibilityState = 'hidden'
  await fixture.pass(300)
  expect(fixture.asked(CANDLES)).toBe(8 * 3)
  service.faults.rest = 'fine'
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  await fixture.pass(1)
  expect(fixture.asked(CANDLES)).toBe(8 * 3 + 1)
  expect(fixture.candles?.candles).toEqual([])
  expect(fixture.client.state).toBe('fallback')
  service.faults.rest = 'failing'
  await fixture.pass(20)
  expect(fixture.client.state).toBe('offline')
})

it('lets all listeners go on when the client connects again after it was dismissed', async () => {
  const { service, client, live } = start()
  service.commit([1, MAKER])
  fixture.follow()
  const events: string[] = []
  const onEnd = ({ code }: { readonly code: string }) => fixture.ends.push(code)
  live.trades({}, event => events.push(event.type === 'trades' ? event.cursor : event.type), { onEnd })
  const over = live.trades({}, () => events.push('closed'), { onEnd })
  const reading = live.launches()
  const first = reading.next()
  await fixture.pass(2)
  await first
  await fixture.expectTruth()
  service.cut(1008)
  const failure = reading.next().catch((error: unknown) => error)
  await fixture.pass(1)
  expect(await failure).toMatchObject({ code: 'dismissed', status: 1008 })
  expect(fixture.ends).toEqual(Array.from({ length: 5 }, () => 'dismissed'))
  over.close()
  // The three states and the other events.
  expect(client.extension.dismissed.size).toBe(4)
  service.commit([1, MAKER], [1, MAKER])
  const requests = service.requests.length
  await fixture.pass(120)
  expect([client.state, service.requests.length]).toEqual(['offline', requests])
  // What begins meanwhile is told, too.
  live.trades({}, () => {}, { onEnd })
  await fixture.pass(1)
  expect(fixture.ends).toHaveLength(6)
  client.reconnect()
  await fixture.pass(2)
  expect(client.state).toBe('live')
  await fixture.expectTruth()
  expect(events).toEqual(['begin', 'closed', '2-4'])
  service.commit([1, MAKER])
  await fixture.pass(2)
  await fixture.expectTruth()
  expect(events.at(-1)).toBe('3-1')
  expect(client.extension.dismissed.size).toBe(0)
})

it('lets all listeners go on when the first one that ends connects again', async () => {
  const { service, client, live } = start()
  const told: string[] = []
  const listen = (name: string, onEnd: () => void) => live.trades({}, ({ cursor }) => told.push(`${name} ${cursor}`), { onEnd })
  listen('first', () => client.reconnect())
  listen('second', () => {})
  await fixture.pass(1)
  service.cut(1008)
  // It begins after the client was dismissed, and is not told before.
  listen('third', () => {})
  await fixture.pass(2)
  expect(client.state).toBe('live')
  told.length = 0
  service.commit([1, MAKER])
  await fixture.pass(1)
  expect(told.toSorted()).toEqual(['first 1-1', 'second 1-1', 'third 1-1'])
})

it.each(['list', 'trades'] as const)('leaves nothing of %s behind that a listener closes while the client connects again', async name => {
  const { service, client, live } = start()
  const handle: LiveHandle = name === 'list' ? live.list({}, () => {}) : live.trades({}, () => {})
  await fixture.pass(1)
  service.cut(1008)
  client.onState(state => state === 'connecting' && handle.close())
  client.reconnect()
  await fixture.pass(10)
  expect([client.state, service.sockets.size, fixture.clock.waiting]).toEqual(['offline', 0, 0])
})

it('begins nothing again when a listener closes the client while it connects again', async () => {
  const { service, client } = start()
  fixture.follow()
  await fixture.pass(1)
  service.cut(1008)
  client.onState(state => state === 'connecting' && client.close())
  client.reconnect()
  await fixture.pass(10)
  expect([client.state, service.sockets.size, client.extension.dismissed.size]).toEqual(['offline', 0, 0])
})

it('makes texts of a list well-formed on platforms that have no function for it', () => {
  const texts = ['', 'a', '\u{1f600}', '\ud83d', 'a\ude00b', '\ude00\ud83d', '\ud83d\ud83d\ude00', `${'a'.repeat(31)}\u{1f600}`]
  const shown = texts.map(text => text.slice(0, 32).toWellFormed())
  const toWellFormed = Object.getOwnPropertyDescriptor(String.prototype, 'toWellFormed') as PropertyDescriptor
  Reflect.deleteProperty(String.prototype, 'toWellFormed')
  try {
    expect(texts.map(name => LIST_CELLS['name']?.({ ...tokenOf(A, 1), name }))).toEqual(shown)
    expect(texts.map(imageUrl => LIST_CELLS['imageUrl']?.({ ...tokenOf(A, 1), imageUrl }))).toEqual(
      texts.map(text => toWellFormed.value.call(text)),
    )
    expect(LIST_CELLS['symbol']?.({ ...tokenOf(A, 1), symbol: null })).toBeNull()
  } finally {
    Reflect.defineProperty(String.prototype, 'toWellFormed', toWellFormed)
  }
})

it('tells one gap in place of all that a machine missed that slept, to a reader who does not repair', async () => {
  const { service, live } = start()
  const events: string[] = []
  live.trades({}, event => events.push(`${event.type} ${event.cursor}`), { repair: false })
  await fixture.pass(1)
  service.faults.webSocket = 'refused'
  service.cut(1006)
  for (let block = 0; block < 2_000; block++) service.commit([1, MAKER], [2, MAKER])
  service.faults.webSocket = 'fine'
  await fixture.pass(10)
  service.commit([1, MAKER])
  await fixture.pass(1)
  expect(events).toEqual(['begin 0-0', 'gap 2000-9007199254740991', 'trades 2001-1'])
})

it('goes on when the index is rebuilt, for a reader who does not repair, and for the latest trades', async () => {
  const { service, live } = start()
  for (let block = 0; block < 100; block++) service.commit([1, MAKER])
  const cursors: string[] = []
  live.trades({}, event => event.type === 'trades' && cursors.push(event.cursor), { repair: false })
  fixture.follow()
  await fixture.pass(2)
  service.commit([1, MAKER])
  await fixture.pass(2)
  service.rebuild()
  for (let block = 0; block < 5; block++) service.commit([1, MAKER])
  await fixture.pass(30)
  service.commit([1, MAKER])
  await fixture.pass(2)
  expect(cursors).toEqual(['101-1', '6-1'])
  await fixture.expectTruth()
})

it('goes on after a proxy has refused its requests', async () => {
  const { service } = start()
  service.commit([1, MAKER])
  fixture.block()
  service.faults.rest = 'forbidden'
  fixture.follow()
  await fixture.pass(60)
  expect(fixture.errors.length).toBeGreaterThan(3)
  service.faults.rest = 'fine'
  await fixture.pass(60)
  expect(fixture.ends).toEqual([])
  await fixture.expectTruth()
})

it('has a candle once that REST has told before the channel', async () => {
  const { service } = start()
  fixture.follow()
  await fixture.pass(0.5)
  for (const socket of service.sockets) socket.isStalled = true
  service.commit([1, MAKER])
  await fixture.pass(2)
  expect(fixture.candles?.candles).toHaveLength(1)
  for (const socket of service.sockets) socket.isStalled = false
  await fixture.pass(1)
  await fixture.expectTruth()
})

it('drops trades that a reorg made void while no connection says so', async () => {
  const { service } = start()
  service.commit([1, MAKER], [2, MAKER])
  service.commit([1, MAKER], [2, MAKER], [3, MAKER])
  fixture.follow()
  await fixture.pass(2)
  service.commit([1, MAKER])
  await fixture.pass(2)
  fixture.block()
  await fixture.pass(12)
  service.reorg(2, 0)
  await fixture.pass(15)
  await fixture.expectTruth()
  expect(fixture.latest.map(({ id }) => id)).toEqual(['1-4', '1-1'])
})

it('numbers the states of a list upwards, whatever brings them', async () => {
  const { service, client, live } = start()
  const sequences: number[] = []
  live.list({ sort: 'createdAt' }, ({ sequence }) => sequences.push(sequence))
  await fixture.pass(2)
  service.commit([1, MAKER])
  await fixture.pass(2)
  service.cut(1008)
  Object.assign(service.faults, { webSocket: 'refused', eventStreams: 'refused' })
  client.reconnect()
  await fixture.pass(30)
  service.faults.webSocket = 'fine'
  service.restart()
  await fixture.pass(60)
  expect(sequences.length).toBeGreaterThan(4)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
})

it('finds from which time on candles differ', () => {
  const candle = (time: number, close = '1'): Candle => ({ time, open: '1', high: '1', low: '1', close, volume: '0', trades: 1 })
  const held = [candle(60), candle(120), candle(180)]
  expect(firstDifference(held, [...held])).toBe(Number.POSITIVE_INFINITY)
  expect(firstDifference(held, [candle(60), candle(120), candle(180, '2'), candle(240)])).toBe(180)
  expect(firstDifference(held, held.slice(0, 2))).toBe(180)
  // The oldest one is no longer kept.
  expect(firstDifference(held, [...held.slice(1), candle(240)])).toBe(240)
  expect(firstDifference([], held)).toBe(60)
})

class Fixture {
  readonly clock = new SimulatedClock()
  readonly service = new ChannelService(this.clock, () => 0.5, 10_000)
  readonly errors: unknown[] = []
  readonly client = createTokenwire({
    url: 'http://service.test',
    clock: this.clock,
    random: () => 0.5,
    fetch: this.service.fetch,
    WebSocket: this.service.WebSocket,
    onError: error => this.errors.push(error),
  })
  readonly live = createLive(this.client)
  readonly ends: string[] = []
  candles: CandlesState | null = null
  list: ListState | null = null
  latest: readonly Trade[] = []
  wallets = 0

  follow(): void {
    const onEnd = ({ code }: { readonly code: string }) => this.ends.push(code)
    this.live.candles({ token: A, limit: 70 }, state => (this.candles = state), { onEnd })
    this.live.list({ sort: 'createdAt', limit: 5 }, state => (this.list = state), { onEnd })
    this.live.latestTrades({ limit: 7 }, trades => (this.latest = trades), { onEnd })
  }

  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 5) {
      await this.clock.advance(Math.min(5, left) * 1_000)
      this.service.sweep()
    }
  }

  async expectTruth(): Promise<void> {
    expect(this.candles?.candles).toEqual(this.service.candles(A).slice(-70))
    expect(this.list?.data.map(({ address }) => address)).toEqual(this.service.launched.slice(0, 5).map(({ address }) => address))
    expect(this.latest.map(({ id }) => id)).toEqual((await this.service.trades({ limit: 7 })).map(({ id }) => id))
  }

  asked(path: string): number {
    return this.service.requests.filter(request => request.startsWith(path)).length
  }

  block(): void {
    Object.assign(this.service.faults, { webSocket: 'refused', eventStreams: 'refused' })
    this.service.cut(1006)
  }
}
