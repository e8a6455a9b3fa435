import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import type { Tokenwire } from '#client/tokenwire.ts'
import { type ChartMark, followChartMarks } from '#console/state/chartMarks.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { addressOf, tokenOf, tradeOf } from '#test/support/snapshots.ts'

const A = addressOf(1)
const CREATED = '2026-11-20T12:00:00.000Z'
const seconds = (time: string) => Date.parse(time) / 1_000

const launched: Token = { ...tokenOf(A, 1), createdAt: CREATED }
const tradeAt = (timestamp: string, more: Partial<Trade> = {}): Trade => ({
  ...tradeOf(A),
  id: timestamp,
  timestamp,
  maker: launched.creator,
  side: 'buy',
  ...more,
})

/** Marks of a token whose creator's trades are `listed` over REST. */
function follow(listed: readonly Trade[], arrived: readonly Trade[] | null = null) {
  const rest = { listed }
  const asked: unknown[] = []
  const client = {
    async trades(_: string, query: unknown) {
      asked.push(query)
      return { ok: true, value: { data: rest.listed, nextCursor: null } }
    },
  }
  const token = signal<Token | null>(launched)
  const trades = signal<readonly Trade[] | null>(arrived)
  const returns = signal(0)
  let marks: readonly ChartMark[] = []
  const stop = followChartMarks({ client: client as unknown as Tokenwire, token, trades, returns, onMarks: next => (marks = next) })
  return { rest, asked, token, trades, returns, stop, shown: () => marks.map(({ kind, time }) => [kind, time]) }
}

test('marks the launch, the move to a pool and the creator’s trades in the order of time', async () => {
  const sale = tradeAt('2026-11-20T12:30:00.000Z', { side: 'sell' })
  const { shown, token, trades, asked, stop } = follow([sale])
  await expect.poll(() => shown().length).toBe(2)
  expect(asked).toEqual([{ maker: launched.creator, limit: 100 }])
  const migratedAt = '2026-11-20T12:20:00.000Z'
  token.value = { ...launched, graduation: { ...launched.graduation, migratedAt } }
  trades.value = [tradeAt('2026-11-20T12:10:00.000Z'), tradeAt('2026-11-20T12:15:00.000Z', { maker: addressOf(9) })]
  expect(shown()).toEqual([
    ['launch', seconds(CREATED)],
    ['creatorBuy', seconds('2026-11-20T12:10:00.000Z')],
    ['graduation', seconds(migratedAt)],
    ['creatorSell', seconds(sale.timestamp)],
  ])
  stop()
})

test('forgets the creator’s trades that a reorg removed, and keeps those that are older than the newest trades', async () => {
  const old = tradeAt('2026-11-20T12:10:00.000Z', { blockNumber: '10' })
  const removed = tradeAt('2026-11-20T12:30:00.000Z', { blockNumber: '30' })
  const { shown, trades, stop } = follow([removed, old])
  await expect.poll(() => shown().length).toBe(3)
  trades.value = [
    tradeAt('2026-11-20T12:31:00.000Z', { blockNumber: '31', maker: addressOf(9) }),
    tradeAt('2026-11-20T12:20:00.000Z', { blockNumber: '20', maker: addressOf(9) }),
  ]
  expect(shown()).toEqual([
    ['launch', seconds(CREATED)],
    ['creatorBuy', seconds(old.timestamp)],
  ])
  stop()
})

test('reads nothing after it was stopped', () => {
  const { asked, returns, stop } = follow([])
  stop()
  returns.value++
  expect(asked).toHaveLength(1)
})
