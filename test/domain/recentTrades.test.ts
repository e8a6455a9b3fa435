import { describe, expect, it } from 'vitest'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import { positionOf, type RecentTrades, type Trade, tradesSince } from '#resources/trades.ts'
import { addressOf, recentOf, tradeOf } from '#test/support/snapshots.ts'

const tradeAt = (block: number, logIndex = 1): Trade => ({
  ...tradeOf(addressOf(1)),
  id: `${block}-${logIndex}`,
  blockNumber: String(block),
  logIndex,
})
const recent = (blocks: readonly number[], rest: Partial<RecentTrades> = {}): RecentTrades => ({
  ...recentOf(blocks.map(block => tradeAt(block))),
  ...rest,
})
const told = (state: RecentTrades, earlier: RecentTrades | null) => {
  const { trades, replacedFrom } = tradesSince(state, earlier === null ? null : positionOf(earlier))
  return { trades: trades?.map(({ blockNumber }) => Number(blockNumber)) ?? null, replacedFrom }
}

describe('tradesSince', () => {
  it('tells nothing of trades when it is not known what the receiver has', () => {
    expect(told(recent([4, 5]), null)).toEqual({ trades: null, replacedFrom: null })
  })

  it('tells the trades after those of the earlier state', () => {
    expect(told(recent([4, 5, 6]), recent([4]))).toEqual({ trades: [5, 6], replacedFrom: null })
    expect(told(recent([4]), recent([4]))).toEqual({ trades: [], replacedFrom: null })
    expect(told(recent([4]), recent([]))).toEqual({ trades: [4], replacedFrom: null })
  })

  it('tells them only when it knows all', () => {
    const after = { blockNumber: 5, logIndex: 1 }
    expect(told(recent([6, 7], { after }), recent([5]))).toEqual({ trades: [6, 7], replacedFrom: null })
    expect(told(recent([6, 7], { after }), recent([4]))).toEqual({ trades: null, replacedFrom: null })
    expect(told(recent([6, 7], { after }), recent([]))).toEqual({ trades: null, replacedFrom: null })
  })

  it('tells the first void block of all reorgs since, and the trades from there on', () => {
    const state = recent([4, 5, 6], { reorgs: 3, voidFrom: [2, 6, 5] })
    expect(told(state, recent([4, 5, 6], { reorgs: 2 }))).toEqual({ trades: [5, 6], replacedFrom: 5 })
    expect(told(state, recent([4, 5, 6], { reorgs: 1 }))).toEqual({ trades: [5, 6], replacedFrom: 5 })
    expect(told(state, recent([3], { reorgs: 0 }))).toEqual({ trades: [4, 5, 6], replacedFrom: 2 })
    expect(told(state, recent([4], { reorgs: 2 }))).toEqual({ trades: [5, 6], replacedFrom: 5 })
  })

  it('takes everything for void after more reorgs than it knows, and in another database', () => {
    const state = recent([4, 5], { reorgs: 9, voidFrom: [3, 5] })
    expect(told(state, recent([4], { reorgs: 6 }))).toEqual({ trades: [4, 5], replacedFrom: 0 })
    expect(told(state, recent([4], { reorgs: 10 }))).toEqual({ trades: [4, 5], replacedFrom: 0 })
    const after = FIRST_PLACE
    expect(told({ ...state, after: { ...after, blockNumber: 3 } }, recent([4], { reorgs: 10 }))).toEqual({ trades: null, replacedFrom: 0 })
  })
})
