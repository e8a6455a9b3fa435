import { afterEach, beforeEach, expect, it } from 'vitest'
import { createContext } from '#client/context.ts'
import { createTokenwire } from '#client/createTokenwire.ts'
import type { TokenwireOptions } from '#client/options.ts'
import { failed } from '#client/result.ts'
import { TradeFeed } from '#client/watch/tradeFeed.ts'
import type { NewTrades } from '#client/watch/watch.ts'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import { placeOfTrade, type Trade } from '#resources/trades.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { eventually } from '#test/support/eventually.ts'
import { addressOf, hashOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { TRADED } from '#test/support/tradeChain.ts'
import { ClientFixture, FastClock, neverAnswers, Seen } from './clientFixture.ts'
import { SimulatedClock } from './simulatedClock.ts'
import { TradeService } from './tradeService.ts'

const A = addressOf(1)

let fixture: ClientFixture
let sequence = 0
beforeEach(async () => {
  fixture = await ClientFixture.start()
  sequence = 0
  voidFrom = []
})
afterEach(() => fixture.stop())

const trade = (block: number, logIndex = 0, tx = block * 1_000 + logIndex): Trade => ({
  ...tradeOf(A),
  id: `${block}-${logIndex}`,
  blockNumber: String(block),
  logIndex,
  txHash: hashOf(tx),
  txIndex: 3,
})

/** The newest trades that updates know, and the first void block of each reorg. */
const MAX_RECENT = 16
let voidFrom: number[] = []

const tradeRequests = () => fixture.proxy.requests.filter(path => path.includes('/trades')).length

/** A new connection also makes the client read the token over REST. That answer could show the next trade before the connection does. */
const fetchTrades: typeof fetch = async (input, init) => (new Request(input).url.includes('/trades') ? fetch(input, init) : neverAnswers())

it('delivers every trade after the first state, without a request while they fit into updates', async () => {
  trades(trade(1), trade(2))
  const { ids, seen } = await watching()
  trades(trade(3))
  await seen.reaches(2)
  trades(trade(4, 1), trade(4, 3), trade(4, 9), trade(5))
  // Conflated for slow readers, as here where no tick is between.
  trades(trade(6))
  trades(trade(7), trade(8))
  await seen.reaches(5)
  expect(ids()).toEqual(['3-0', '4-1', '4-3', '4-9', '5-0', '6-0', '7-0', '8-0'])
  expect(tradeRequests()).toBe(0)
})

it('fetches trades that do not fit into an update, and delivers each once and in order', async () => {
  trades(trade(1))
  const { ids, news, seen } = await watching()
  const many = Array.from({ length: 140 }, (_, index) => trade(2, index))
  trades(...many)
  await eventually(() => ids().length === 140)
  trades(trade(4))
  await seen.reaches(3)
  await eventually(() => ids().length === 141)
  expect(ids()).toEqual([...many.map(({ id }) => id), '4-0'])
  expect(news.some(({ gap }) => gap)).toBe(false)
  // Two pages.
  expect(tradeRequests()).toBe(2)
})

it('fetches the trades of a lost connection', async () => {
  trades(trade(1))
  const { ids } = await watching()
  fixture.proxy.cut()
  trades(trade(2), trade(3))
  trades(trade(4))
  await eventually(() => ids().length === 3)
  trades(trade(5))
  await eventually(() => ids().length === 4)
  expect(ids()).toEqual(['2-0', '3-0', '4-0', '5-0'])
  expect(tradeRequests()).toBe(1)
})

it('asks for nothing after a lost connection that missed nothing', async () => {
  trades(trade(1))
  const { ids } = await watching()
  let answers = 0
  fixture.proxy.treat = (text, deliver) => {
    if (text.includes('"subscribed"')) answers++
    deliver(text)
  }
  fixture.proxy.cut()
  await eventually(() => answers === 1)
  trades(trade(2))
  await eventually(() => ids().length === 1)
  expect(tradeRequests()).toBe(0)
})

it('delivers the trades after a given one', async () => {
  trades(trade(1), trade(2), trade(3))
  const { ids } = await watching({ tradesSince: trade(1) })
  await eventually(() => ids().length === 2)
  expect(ids()).toEqual(['2-0', '3-0'])
})

it('delivers the newest thousand of more missed trades, with a gap', async () => {
  trades(trade(1))
  const { ids, news } = await watching()
  trades(...Array.from({ length: 1_300 }, (_, index) => trade(2 + index)))
  await eventually(() => ids().length > 0)
  expect(news).toHaveLength(1)
  expect(news[0]?.gap).toBe(true)
  expect(ids()).toEqual(Array.from({ length: 1_000 }, (_, index) => `${302 + index}-0`))
  trades(trade(2_000))
  await eventually(() => news.length === 2)
  expect(news[1]).toMatchObject({ gap: false, trades: [{ id: '2000-0' }] })
})

it('retries a failed fetch', async () => {
  trades(trade(1))
  const { ids, errors } = await watching({ clock: new FastClock(50) })
  fixture.service.gateway.reads.before = databaseAway
  fixture.proxy.cut()
  trades(trade(2), trade(3))
  await eventually(() => errors.length > 0)
  expect(ids()).toEqual([])
  fixture.service.gateway.reads.before = async () => {}
  await eventually(() => ids().length === 2)
  expect(ids()).toEqual(['2-0', '3-0'])
})

it('waits longer after each fetch in a row that failed', async () => {
  const clock = new SimulatedClock()
  const ending = new AbortController()
  const { signal } = ending
  const context = createContext({ url: 'http://service.test', clock, random: () => 0.5, onError: () => {} }, signal)
  const askedAtMs: number[] = []
  let isAway = true
  const api = {
    async trades() {
      askedAtMs.push(clock.now())
      if (isAway) return failed('network', 'no answer arrived')
      return { ok: true, value: { data: [trade(2), trade(1)], nextCursor: null, asOfBlock: '2' } } as const
    },
  }
  const feed = new TradeFeed(context, { address: A, api, signal, since: trade(1), onTrades: () => {} })
  const count = (tradeCount: number) =>
    ({ source: 'rest', token: tokenOf(A, 1, { market: { ...tokenOf(A, 1).market, tradeCount } }) }) as const
  feed.receive(count(2))
  await clock.advance(150_000)
  expect(askedAtMs).toEqual([0, 5_000, 15_000, 35_000, 75_000, 135_000])
  isAway = false
  await clock.advance(60_000)
  isAway = true
  feed.receive(count(3))
  await clock.advance(5_000)
  expect(askedAtMs.slice(6)).toEqual([195_000, 210_000, 215_000])
  ending.abort()
  expect([context.pauses.size, clock.waiting]).toEqual([0, 0])
})

it('fetches missed trades at once when the client is asked to connect, however long the pause is', async () => {
  const clock = new SimulatedClock()
  const service = new TradeService(clock, () => 0.5)
  const { fetch, WebSocket } = service
  const client = createTokenwire({ url: 'http://service.test', clock, random: () => 0.5, fetch, WebSocket, onError: () => {} })
  let delivered = 0
  client.watch(TRADED, () => {}, { onTrades: ({ trades }) => (delivered += trades.length) })
  await clock.advance(1_000)
  service.faults.rest = 'failing'
  // More than an update has.
  service.commit(10)
  await clock.advance(180_000)
  service.faults.rest = 'fine'
  expect(delivered).toBe(0)
  client.reconnect()
  await clock.advance(500)
  expect(delivered).toBe(10)
  const { tradeRequests } = service
  client.reconnect()
  await clock.advance(500)
  expect(service.tradeRequests).toBe(tradeRequests)
  client.close()
})

it.each<[string, readonly Trade[], readonly string[]]>([
  ['with none in their place', [], []],
  ['with others in their place', [trade(11), trade(12)], ['11-0', '12-0']],
  ['with later ones in their place', [trade(20)], ['20-0']],
])('tells from which block on a reorg takes trades back, %s, without a request', async (_, grown, expected) => {
  trades(trade(10))
  const { news, seen } = await watching()
  trades(trade(11))
  trades(trade(12, 5))
  await seen.reaches(3)
  await seen.reaches(reorg(11, ...grown))
  expect(news.at(-1)).toMatchObject({ replacedFrom: '11', gap: false, trades: expected.map(id => ({ id })) })
  trades(trade(30))
  await seen.reaches(5)
  expect(news.at(-1)).toMatchObject({ replacedFrom: undefined, gap: false, trades: [{ id: '30-0' }] })
  expect(tradeRequests()).toBe(0)
})

it('tells of a reorg that took back no delivered trade', async () => {
  trades(trade(10))
  const { news, seen } = await watching()
  await seen.reaches(reorg(11))
  expect(news).toEqual([{ replacedFrom: '11', gap: false, trades: [] }])
})

it('reports a gap when a reorg took trades back while the connection was away', async () => {
  trades(trade(10))
  const { ids, news, seen } = await watching()
  trades(trade(11))
  await seen.reaches(2)
  fixture.proxy.cut()
  reorg(11, trade(11), trade(12))
  await eventually(() => news.some(({ gap }) => gap))
  // That of block 11 is another one than before.
  expect(ids()).toEqual(['11-0', '12-0'])
  trades(trade(13))
  await eventually(() => ids().length === 3)
  expect(news.at(-1)).toMatchObject({ gap: false, trades: [{ id: '13-0' }] })
})

it('asks again while REST does not know the newest trade', async () => {
  trades(trade(1))
  const { ids } = await watching({ clock: new FastClock(50) })
  const { stored } = fixture.service.gateway.reads
  fixture.proxy.cut()
  trades(trade(2), trade(3))
  const all = stored.trades
  stored.trades = all.slice(0, 2)
  await eventually(() => tradeRequests() >= 2)
  expect(ids()).not.toContain('3-0')
  stored.trades = all
  await eventually(() => ids().length === 2)
  expect(ids()).toEqual(['2-0', '3-0'])
})

it('pauses before it fetches again when REST counts trades that are not in the list', async () => {
  trades(trade(1), trade(2))
  const clock = new FastClock(20)
  const askedAtMs: number[] = []
  const { ids, seen } = await watching({
    clock,
    fetch: (input, init) => {
      if ((input instanceof Request ? input.url : input.toString()).includes('/trades')) askedAtMs.push(clock.now())
      return fetch(input, init)
    },
  })
  const { stored } = fixture.service.gateway.reads
  stored.trades = [trade(1)]
  const { market } = tokenOf(A, 0)
  // The stream carries no update of this.
  fixture.store(A, ++sequence, { market: { ...market, tradeCount: 1 } })
  fixture.proxy.treat = () => {}
  await seen.reaches(sequence, 'rest')
  // On a busy machine the first ones may be of the start.
  await eventually(() => askedAtMs.length >= 5)
  const [before = 0, second = 0, third = 0] = askedAtMs.slice(2)
  // Of 5 s, up to a quarter shorter.
  expect(Math.min(second - before, third - second)).toBeGreaterThan(3_700)
  expect(ids()).toEqual([])
})

/** Commits trades in one update, after the trades before. */
function trades(...added: readonly Trade[]): number {
  const { stored } = fixture.service.gateway.reads
  stored.trades = [...stored.trades, ...added]
  const { market } = tokenOf(A, 0)
  const before = stored.trades.at(-MAX_RECENT - 1)
  fixture.commit(
    A,
    ++sequence,
    { market: { ...market, tradeCount: stored.trades.length } },
    {
      trades: stored.trades.slice(-MAX_RECENT),
      after: before === undefined ? FIRST_PLACE : placeOfTrade(before),
      reorgs: voidFrom.length,
      voidFrom,
    },
  )
  return sequence
}

/** A reorg drops the trades of a block and all later ones. These take their place. */
function reorg(block: number, ...grown: readonly Trade[]): number {
  const { stored } = fixture.service.gateway.reads
  stored.trades = stored.trades.filter(({ blockNumber }) => Number(blockNumber) < block)
  voidFrom = [...voidFrom, block]
  return trades(...grown.map(trade => ({ ...trade, blockHash: hashOf(9_000 + voidFrom.length) })))
}

interface WatchingOptions extends Pick<TokenwireOptions, 'clock' | 'fetch'> {
  readonly tradesSince?: Trade
}

async function watching({ clock, fetch = fetchTrades, ...options }: WatchingOptions = {}) {
  const news: NewTrades[] = []
  const seen = new Seen()
  const errors: unknown[] = []
  const client = fixture.client({ onError: error => errors.push(error), ...(clock && { clock }), fetch })
  client.watch(A, seen.listen, { onTrades: one => news.push(one), ...options })
  await seen.reaches(sequence)
  return { seen, errors, news, ids: () => news.flatMap(({ trades }) => trades.map(({ id }) => id)) }
}
