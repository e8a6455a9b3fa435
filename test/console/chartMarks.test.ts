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
  const renewals = signal(0)
  let marks: readonly ChartMark[] = []
  const stop = followChartMarks({ client: client as unknown as Tokenwire, token, trades, renewals, onMarks: next => (marks = next) })
  return { rest, asked, token, trades, renewals, stop, shown: () => marks.map(({ kind, time }) => [kind, time]) }
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

test('forgets the creator’s trades that a reorg removed when they are read again', async () => {
  const { rest, shown, trades, renewals, stop } = follow([tradeAt('2026-11-20T12:30:00.000Z')])
  await expect.poll(() => shown().length).toBe(2)
  rest.listed = []
  trades.value = []
  renewals.value++
  await expect.poll(shown).toEqual([['launch', seconds(CREATED)]])
  stop()
})

test('reads nothing after it was stopped', () => {
  const { asked, renewals, stop } = follow([])
  stop()
  renewals.value++
  expect(asked).toHaveLength(1)
})
