import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { HOLDER_SIZES, HOLDER_TYPES, RESERVE_TYPES } from '#domain/holder.ts'
import { readHolderDistribution } from '#store/reads/holders.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, type Row, tokenRow } from '#test/support/rows.ts'

const { kysely, clear } = await useDatabase()
const TOKEN = addressOf(1)
const CREATOR = addressOf(500)

interface Held {
  readonly balance: number
  readonly type: string
}

async function store(held: readonly Held[], supply: number): Promise<void> {
  const rows = held.map(
    ({ balance, type }, index): Row => ({
      token: TOKEN,
      holder: type === 'creator' ? CREATOR : addressOf(1_000 + index),
      balance: String(balance),
      type,
      last_changed_block: 7,
    }),
  )
  const holders = held.filter(({ balance }) => balance > 0).length
  await insertRows(kysely, 'chain_state', [chainStateRow()])
  await insertRows(kysely, 'token', [tokenRow(1, { total_supply: String(supply), holder_count: holders, creator: CREATOR })])
  await insertRows(kysely, 'balance', rows)
}

const percent = (part: number, whole: number) => Math.min(100, Math.floor((part * 1_000_000) / whole) / 10_000)
const sum = (held: readonly Held[]) => held.reduce((total, { balance }) => total + balance, 0)

describe('how a token is spread', () => {
  beforeEach(clear)

  test('is as counted from all balances, with holders at the limits of each size', async () => {
    const holder = fc.record({
      balance: fc.constantFrom(-5, 0, 1, 99, 100, 101, 499, 500, 501, 999, 1_000, 1_001, 4_999, 5_000, 5_001),
      type: fc.constantFrom(...HOLDER_TYPES.filter(type => type !== 'creator')),
    })
    const spread = fc.record({ held: fc.array(holder, { maxLength: 40 }), creator: fc.option(fc.constantFrom(0, 70, 2_000)) })
    await fc.assert(
      fc.asyncProperty(spread, async ({ held, creator }) => {
        await clear()
        const all = creator === null ? held : [...held, { balance: creator, type: 'creator' }]
        await store(all, 100_000)
        expect(await readHolderDistribution(kysely, TOKEN)).toEqual(expected(all, 100_000))
      }),
      { numRuns: 30 },
    )
  })

  test('has shares of zero without a supply, and is of indexed tokens only', async () => {
    await store([{ balance: 5, type: 'wallet' }], 0)
    expect(await readHolderDistribution(kysely, TOKEN)).toMatchObject({ holderCount: 1, topTenPercent: 0, creatorPercent: 0 })
    expect(await readHolderDistribution(kysely, addressOf(2))).toBeNull()
  })
})

/** The same from all balances. */
function expected(held: readonly Held[], supply: number) {
  const positive = held.filter(({ balance }) => balance > 0).toSorted((a, b) => b.balance - a.balance)
  const isReserve = ({ type }: Held) => RESERVE_TYPES.some(reserve => reserve === type)
  const large = positive.filter(({ balance }) => balance * 1_000 >= supply)
  return {
    token: TOKEN,
    holderCount: positive.length,
    topTenPercent: percent(sum(positive.filter(one => !isReserve(one)).slice(0, 10)), supply),
    creatorPercent: percent(sum(positive.filter(({ type }) => type === 'creator')), supply),
    reservePercent: percent(sum(large.filter(isReserve)), supply),
    sizes: HOLDER_SIZES.map((minPercent, index) => {
      if (minPercent === 0)
        return { minPercent, holders: positive.length - large.length, percent: percent(Math.max(0, supply - sum(large)), supply) }
      const below = HOLDER_SIZES[index - 1] ?? Number.POSITIVE_INFINITY
      const ofSize = large.filter(one => !isReserve(one) && one.balance * 100 >= minPercent * supply && one.balance * 100 < below * supply)
      return { minPercent, holders: ofSize.length, percent: percent(sum(ofSize), supply) }
    }),
    asOfBlock: '456',
  }
}
