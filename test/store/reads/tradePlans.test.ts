import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { MarketTradesQuery, TradesQuery } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readMarketTrades, readTrades } from '#store/reads/trades.ts'
import { type TestDatabase, useDatabase } from '#test/support/database.ts'
import { measuredPlansOf, pagesRead, rowsRead } from '#test/support/explain.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'

/* Pages read no trades that only another index than the one of their filters would have them read. */

const LIMIT = 10
const ORDERS = ['asc', 'desc'] as const
const SIDES = [{}, { side: 'sell' }] as const

/** Trades that are read at once, by a plan for these values or for any values: the most of both. */
async function tradesRead(kysely: TestDatabase['kysely'], work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const plans = await measuredPlansOf(kysely, work)
  const counts = plans.map(nodes => nodes.reduce((sum, node) => (node['Relation Name'] === 'trade' ? sum + rowsRead(node) : sum), 0))
  return Math.max(...counts)
}

describe('where a maker has traded other tokens much', async () => {
  const { kysely } = await useDatabase()
  const [TOKENS, TRADED, BOT, BUYER] = [1_000, 1_001, 7, 8]
  const tokens = [TOKENS, TRADED].map(addressOf)
  const makers = [BOT, BUYER].map(addressOf)

  test.each(['without statistics', 'with statistics'])('its trades of a token are read alone, %s', async statistics => {
    await sql`delete from trade`.execute(kysely)
    await sql`alter table trade set (autovacuum_enabled = false)`.execute(kysely)
    await insertManyTrades(kysely, { count: 6, after: 0, token: `${TRADED}`, maker: `${BOT}` })
    await insertManyTrades(kysely, { count: 20_000, after: 10, token: `1 + g % ${TOKENS}`, maker: '100000 + g' })
    await insertManyTrades(kysely, { count: 5_000, after: 30_000, token: `1 + g % ${TOKENS - 1}`, maker: `${BOT}` })
    await insertManyTrades(kysely, {
      count: 5_000,
      after: 40_000,
      token: `${TOKENS - 1}`,
      maker: `case when g % 2 = 0 then ${BUYER} else g end`,
    })
    if (statistics === 'with statistics') await sql`vacuum analyze trade`.execute(kysely)
    const faults: string[] = []
    for (const order of ORDERS)
      for (const side of SIDES)
        for (const bounds of [
          {},
          { fromBlock: 5 },
          { toBlock: 45_000 },
          { cursor: { blockNumber: order === 'asc' ? 1 : 44_000, logIndex: 0 } },
        ])
          for (const maker of makers)
            for (const token of tokens) {
              const query: TradesQuery = { address: token, maker, order, limit: LIMIT, ...side, ...bounds }
              const listed = await tradesRead(kysely, db => readTrades(db, query))
              if (listed > LIMIT) faults.push(`${JSON.stringify(query)} reads ${listed}`)
              const ofMarket: MarketTradesQuery = { tokens, makers, order, limit: LIMIT, ...side, ...bounds }
              const inMarket = await tradesRead(kysely, db => readMarketTrades(db, ofMarket))
              if (inMarket > 2 * LIMIT) faults.push(`${JSON.stringify(ofMarket)} reads ${inMarket}`)
            }
    expect(faults).toEqual([])
  })
})

test('in a market of few tokens, a page beyond a token’s last trade reads no trades of others', async () => {
  const { kysely } = await useDatabase()
  const [OTHER, PAST] = [1, 2]
  await insertManyTrades(kysely, { count: 10_000, after: 0, token: `${PAST}`, maker: '100 + g % 10' })
  await insertManyTrades(kysely, { count: 20_000, after: 10_000, token: `${OTHER}`, maker: '100 + g % 10' })
  await sql`vacuum analyze trade`.execute(kysely)
  for (const side of SIDES) {
    const query: TradesQuery = {
      address: addressOf(PAST),
      order: 'asc',
      limit: LIMIT,
      cursor: { blockNumber: 12_000, logIndex: 0 },
      ...side,
    }
    expect(await tradesRead(kysely, db => readTrades(db, query))).toBe(0)
  }
})

test.each(ORDERS)('a page of a token’s trades and another’s reads no page of those that come after its end (%s)', async order => {
  const { kysely } = await useDatabase()
  const [NEAR, FAR] = order === 'asc' ? [1, 2] : [2, 1]
  await insertManyTrades(kysely, { count: 20_000, after: 0, token: '1', maker: '100 + g % 10' })
  await insertManyTrades(kysely, { count: 20_000, after: 20_000, token: '2', maker: '100 + g % 10' })
  await sql`vacuum analyze trade`.execute(kysely)
  for (const bounds of [{}, { fromBlock: 5, toBlock: 39_995 }]) {
    const query: MarketTradesQuery = { tokens: [NEAR, FAR].map(addressOf), order, limit: LIMIT, ...bounds }
    const plans = await measuredPlansOf(kysely, db => readMarketTrades(db, query))
    const scans = plans.map(nodes => nodes.filter(node => node['Index Name'] === 'trade_by_token'))
    expect(scans.map(of => of.length)).toEqual(plans.map(() => 2))
    // Two scans of four stretches: the index is three pages deep.
    for (const of of scans) expect(of.reduce((sum, node) => sum + pagesRead(node), 0)).toBeLessThanOrEqual(2 * 4 * 4)
  }
})
