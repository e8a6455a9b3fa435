import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ClientClock } from '#client/options.ts'
import type { NewTrades } from '#client/watch.ts'
import type { Trade } from '#domain/trade.ts'
import { databaseAway } from '#test/gateway/memoryReads.ts'
import { eventually } from '#test/gateway/startRealtime.ts'
import { addressOf, hashOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'
import { ClientFixture, FastClock, Seen } from './clientFixture.ts'

const A = addressOf(1)

let fixture: ClientFixture
let sequence = 0
beforeEach(async () => {
  fixture = await ClientFixture.start()
  sequence = 0
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

/** Commits trades in one update, after the trades before. */
function trades(...added: readonly Trade[]): number {
  const { stored } = fixture.service.gateway.reads
  stored.trades = [...stored.trades, ...added]
  const { market } = tokenOf(A, 0)
  fixture.commit(A, ++sequence, { market: { ...market, tradeCount: stored.trades.length } }, stored.trades.at(-1) ?? null)
  return sequence
}

const tradeRequests = () => fixture.proxy.requests.filter(path => path.includes('/trades')).length

async function watching({ clock, ...options }: { readonly tradesSince?: Trade; readonly clock?: ClientClock } = {}) {
  const news: NewTrades[] = []
  const seen = new Seen()
  const errors: unknown[] = []
  const client = fixture.client({ onError: error => errors.push(error), ...(clock === undefined ? {} : { clock }) })
  client.watch(A, seen.listen, { onTrades: one => news.push(one), ...options })
  await seen.reaches(sequence)
  return { seen, errors, news, ids: () => news.flatMap(({ trades }) => trades.map(({ id }) => id)) }
}

it('delivers every trade after the first state, a single one without a request', async () => {
  trades(trade(1), trade(2))
  const { ids, seen } = await watching()
  trades(trade(3))
  await seen.reaches(2)
  trades(trade(4, 7))
  await seen.reaches(3)
  expect(ids()).toEqual(['3-0', '4-7'])
  expect(tradeRequests()).toBe(0)
})

it('fetches trades that no update carried, and delivers each once and in order', async () => {
  trades(trade(1))
  const { ids, news } = await watching()
  trades(trade(2, 1), trade(2, 3), trade(2, 9), trade(3))
  await eventually(() => ids().length === 4)
  trades(trade(4))
  trades(trade(5), trade(6))
  await eventually(() => ids().length === 7)
  expect(ids()).toEqual(['2-1', '2-3', '2-9', '3-0', '4-0', '5-0', '6-0'])
  expect(news.some(({ gap }) => gap)).toBe(false)
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
  trades(trade(2), trade(3))
  await eventually(() => errors.length > 0)
  expect(ids()).toEqual([])
  fixture.service.gateway.reads.before = async () => {}
  await eventually(() => ids().length === 2)
  expect(ids()).toEqual(['2-0', '3-0'])
})

it("delivers a trade once when a reorg moves it to another block, and reports a gap when it can't know", async () => {
  trades(trade(10))
  const { ids, news, seen } = await watching()
  trades(trade(11, 0, 77))
  await seen.reaches(2)
  const { stored } = fixture.service.gateway.reads
  // A reorg drops block 11, and the same transaction is in block 12.
  stored.trades = [trade(10)]
  trades(trade(12, 0, 77))
  await seen.reaches(3)
  // Then a reorg drops blocks 10 to 12.
  stored.trades = [trade(8)]
  trades(trade(9))
  await seen.reaches(4)
  await eventually(() => news.length === 2)
  // Of the trades before the last delivered one, the client can't tell which are new.
  expect(ids()).toEqual(['11-0'])
  expect(news.map(({ gap }) => gap)).toEqual([false, true])
  trades(trade(13))
  await eventually(() => news.length === 3)
  expect(news[2]).toMatchObject({ gap: false, trades: [{ id: '13-0' }] })
})

it.each<[string, readonly Trade[], readonly string[]]>([
  ['with none in their place', [trade(10)], []],
  ['with later ones in their place', [trade(10), trade(20), trade(21)], ['20-0', '21-0']],
  ['all there were', [], []],
  ['one before the last', [trade(10), trade(12)], []],
])('reports a gap when a reorg removes trades, %s', async (_, after, expected) => {
  trades(trade(10))
  const { ids, news, seen } = await watching({ clock: new FastClock(20) })
  trades(trade(11))
  await seen.reaches(2)
  trades(trade(12))
  await seen.reaches(3)
  fixture.service.gateway.reads.stored.trades = []
  trades(...after)
  await eventually(() => news.some(({ gap }) => gap))
  expect(ids()).toEqual(['11-0', '12-0', ...expected])
  expect(news).toHaveLength(3)
})

it('fetches once when REST counts trades that are not in the list', async () => {
  trades(trade(1), trade(2))
  const { ids, seen } = await watching({ clock: new FastClock(20) })
  const { stored } = fixture.service.gateway.reads
  stored.trades = [trade(1)]
  const { market } = tokenOf(A, 0)
  // The stream carries no update of this.
  fixture.store(A, ++sequence, { market: { ...market, tradeCount: 1 } })
  fixture.proxy.treat = () => {}
  await seen.reaches(sequence, 'rest')
  await eventually(() => tradeRequests() > 0)
  // When a later request is answered, an earlier one would have been seen.
  for (let n = 0; n < 5; n++) await fetch(`${fixture.proxy.url}/healthz`)
  expect(tradeRequests()).toBe(1)
  expect(ids()).toEqual([])
})
