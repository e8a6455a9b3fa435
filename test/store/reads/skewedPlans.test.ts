import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { CandleCurrency } from '#resources/candles.ts'
import type { TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readCandleSeries, readSparklines } from '#store/reads/candleSeries.ts'
import { readCandles } from '#store/reads/candles.ts'
import { readClaimable, readClaims } from '#store/reads/claimable.ts'
import { MAX_LOOKED_AT, readHolderDistribution } from '#store/reads/holders.ts'
import { type TestDatabase, useDatabase } from '#test/support/database.ts'
import { measuredPlansOf, rowsRead } from '#test/support/explain.ts'
import { listTokens } from '#test/support/listTokens.ts'
import { addressOf, chainStateRow, insertRows, poolRow, type Row, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'

/* Where several indexes fit a read, or the statistics are old, it still reads no more than its answer needs. */

const LIMIT = 10
const WETH = addressOf(0x3e7)
const NOW = 1_700_086_400
const several = <T>(count: number, make: (number: number) => T) => Array.from({ length: count }, (_, index) => make(index + 1))

/** Rows of a table, or entries of its indexes, that are read at once, by a plan for these values or for any: the most of all statements. */
async function mostRead(kysely: TestDatabase['kysely'], table: string, work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const plans = await measuredPlansOf(kysely, work)
  const counts = plans.map(nodes =>
    nodes.reduce((sum, node) => {
      const isRead = node['Relation Name'] === table || node['Index Name']?.startsWith(`${table}_`) === true
      return isRead ? sum + rowsRead(node) : sum
    }, 0),
  )
  return Math.max(...counts)
}

describe('candles of a token', () => {
  const candle = (token: number, time: number, usd: string | null): Row => ({
    token: addressOf(token),
    interval_seconds: 60,
    time: time * 60,
    ...Object.fromEntries(['open', 'high', 'low', 'close', 'volume_wei'].map(name => [name, '1'])),
    ...Object.fromEntries(['open_usd', 'high_usd', 'low_usd', 'close_usd', 'volume_usd'].map(name => [name, usd])),
    trades: 1,
    trades_usd: usd === null ? 0 : 1,
  })

  test('without prices in USD are not read for those with them', async () => {
    const kysely = await databaseOf(
      { candle: several(10_000, number => candle(10_000 + (number % 2_000), number, '1')) },
      {
        candle: several(3_000, number => candle(5_000, number, null)),
        token: [tokenRow(5_000, { main_pool: wordOf(1) })],
        pool: [poolRow(1, 5_000, { quote_token: WETH })],
        currency: [{ address: WETH, symbol: 'WETH', decimals: 18, is_read: true }],
      },
    )
    const reads = async (currency: CandleCurrency) =>
      mostRead(kysely, 'candle', db =>
        readCandles(db, { address: addressOf(5_000), interval: '1m', of: 'price', currency, fill: false, limit: LIMIT }),
      )
    expect([await reads('usd'), await reads('weth'), await reads('quote')]).toEqual([0, LIMIT + 1, LIMIT + 1])
  })
})

test('candles of seconds of a token that nearly all trades are of read no more trades than a page has', async () => {
  const trade = (token: number, number: number) =>
    tradeRow(addressOf(token), number, 0, { price_after_weth: '1', timestamp: NOW - 40_000 + number })
  const kysely = await databaseOf(
    { token: several(2, number => tokenRow(number)), trade: several(300, number => trade(2, number)) },
    { trade: several(39_000, number => trade(1, 300 + number)) },
  )
  const query = { address: addressOf(1), interval: '1s', of: 'price', currency: 'weth', fill: false, limit: LIMIT } as const
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await sql`analyze trade`.execute(kysely)
    expect(await mostRead(kysely, 'trade', db => readCandles(db, query))).toBeLessThanOrEqual(2_000 + 101)
    expect(await mostRead(kysely, 'trade', db => readCandleSeries(db, { ...query, tokens: [addressOf(1)] }))).toBeLessThanOrEqual(
      2 * 2_001 + 101,
    )
  }
})

test('of fifty tokens of thousands, candles and lines of prices are read without those of others', async () => {
  const SERIES = 50
  const candle = (token: number, time: number): Row => ({
    token: addressOf(token),
    interval_seconds: 3_600,
    time: NOW - 3_600 * time,
    ...Object.fromEntries(['open', 'high', 'low', 'close', 'volume_wei'].map(name => [name, '1'])),
    trades: 1,
    trades_usd: 0,
  })
  const kysely = await databaseOf(
    { token: several(2_000, number => tokenRow(number, { created_at: NOW - 90_000 })) },
    { candle: several(200, number => several(100, time => candle(number, time))).flat() },
  )
  const tokens = several(SERIES, addressOf)
  const series = { tokens, interval: '1h', of: 'price', currency: 'weth' } as const
  const reads = (table: string, work: (db: Queryable) => Promise<unknown>) => mostRead(kysely, table, work)
  expect(await reads('candle', db => readCandleSeries(db, { ...series, limit: LIMIT }))).toBeLessThanOrEqual(SERIES * LIMIT)
  expect(await reads('token', db => readCandleSeries(db, { ...series, limit: LIMIT }))).toBeLessThanOrEqual(3 * SERIES)
  expect(await reads('candle', db => readSparklines(db, { tokens, limit: SERIES }))).toBeLessThanOrEqual(SERIES * 25)
})

describe('of a creator of many tokens', () => {
  const MANY = 1_500
  const CREATOR = 7
  const fee = (creator: number, columns: Row): Row => ({
    launchpad: 'test',
    creator: addressOf(creator),
    currency: WETH,
    scope: 'creator',
    token: addressOf(0),
    accrued: '5',
    claimed: '1',
    last_changed_block: 1,
    ...columns,
  })
  const options = { creator: addressOf(CREATOR), weth: WETH, claimCall: () => null, vestedOf: () => null }

  test('the claimable fees of a token are read without what the escrow owes in other tokens', async () => {
    const owed = several(MANY, number => fee(CREATOR, { currency: addressOf(1_000 + number) }))
    const others = several(8 * MANY, number => fee(10_000 + number, { currency: addressOf(10_000 + number) }))
    const ofTokens = several(8 * MANY, number => fee(10_000 + number, { scope: 'token', token: addressOf(10_000 + number) }))
    const kysely = await databaseOf({ token: [tokenRow(1)], creator_fee: [...owed, ...others, ...ofTokens] })
    expect(await mostRead(kysely, 'creator_fee', db => readClaimable(db, { token: addressOf(1), ...options }))).toBeLessThanOrEqual(3)
  })

  test('a token for the claim at a launchpad is found without those at others', async () => {
    const ofCreator = (number: number) => ({ creator: addressOf(CREATOR), launchpad: number <= MANY ? 'test' : 'other' })
    const kysely = await databaseOf(
      { token: several(MANY, number => tokenRow(number, ofCreator(number))), creator_fee: [] },
      {
        token: several(MANY, number => tokenRow(MANY + number, { launchpad: 'other' })),
        creator_fee: [fee(CREATOR, { launchpad: 'another' })],
      },
    )
    const reads = mostRead(kysely, 'token', db => readClaims(db, { address: options.creator, limit: LIMIT }, options))
    expect(await reads).toBeLessThanOrEqual(5)
  })
})

test('how a token is spread is read without its other holders, also where it had one at the last analyze', async () => {
  const balance = (token: number, holder: number): Row => ({
    token: addressOf(token),
    holder: addressOf(holder),
    balance: '5',
    type: 'wallet',
    last_changed_block: 1,
    ...Object.fromEntries(['buys', 'sells', 'bought_token', 'sold_token'].map(name => [name, 0])),
  })
  const kysely = await databaseOf(
    { balance: several(5_000, number => balance(number, 10_000 + number)), token: [tokenRow(1)] },
    { balance: several(3_000, number => balance(1, 20_000 + number)) },
  )
  expect(await mostRead(kysely, 'balance', db => readHolderDistribution(db, addressOf(1)))).toBeLessThanOrEqual(MAX_LOOKED_AT + 1)
})

describe('a list of tokens', async () => {
  const TOKENS = 4_000
  const BUSY = 40
  const token = (number: number) =>
    tokenRow(number, {
      creator: addressOf(number % BUSY === 0 ? 7 : 10_000 + number),
      created_at: NOW - number,
      market_cap_weth: String(number),
      holder_count: number % 10,
    })
  const kysely = await databaseOf({ token: several(TOKENS, token) })

  test.each<[string, Omit<TokensQuery, 'order' | 'limit'>, number]>([
    ['of one launchpad', { sort: 'createdAt' }, 2 * (LIMIT + 1) + 3],
    ['of a bound', { sort: 'holders', minMarketCap: `${TOKENS - 100}` }, 101 * 3],
    ['of a creator since a time', { sort: 'createdAt', creator: addressOf(7), createdAfter: NOW - 300 }, (2 * TOKENS) / BUSY + LIMIT + 1],
  ])('%s reads what it lists or counts', async (_name, query, most) => {
    for (const order of ['asc', 'desc'] as const)
      expect(await mostRead(kysely, 'token', db => listTokens(db, { ...query, order, limit: LIMIT }))).toBeLessThanOrEqual(most)
  })
})

/** A database whose statistics are of the first rows only. The server does not analyze the tables by itself. */
async function databaseOf(first: Readonly<Record<string, readonly Row[]>>, later: Readonly<Record<string, readonly Row[]>> = {}) {
  const { kysely } = await useDatabase()
  await insertRows(kysely, 'chain_state', [chainStateRow()])
  for (const [table, rows] of Object.entries(first)) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(kysely)
    await insertRows(kysely, table, rows)
    await sql`analyze ${sql.table(table)}`.execute(kysely)
  }
  for (const [table, rows] of Object.entries(later)) await insertRows(kysely, table, rows)
  return kysely
}
