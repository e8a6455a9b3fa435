import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { addressOf } from '#benchmarks/growth/hex.ts'
import { loadTables } from '#benchmarks/growth/loadTables.ts'
import { blockAt, END, type GrowthScale, startOf } from '#benchmarks/growth/scale.ts'
import { spoolTokens } from '#benchmarks/growth/spoolTokens.ts'
import { WETH } from '#benchmarks/growth/tokenEvents.ts'
import { LAUNCHPADS } from '#benchmarks/growth/tokenPlan.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { CANDLE_INTERVALS, type CandleInterval, candleSourceOf } from '#domain/candle.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { HOLDER_TYPES } from '#domain/holder.ts'
import type { GraduationStatus } from '#domain/token.ts'
import { LEADER_WINDOWS } from '#domain/windows.ts'
import type { ClaimsQuery } from '#resources/claimable.ts'
import type { HoldersQuery } from '#resources/holders.ts'
import { TOKEN_SORTS, type TokenCursor, type TokenSort, type TokensQuery } from '#resources/tokens.ts'
import { LEADER_SORTS, type LeadersQuery, TRADER_SORTS, type TradersQuery } from '#resources/traders.ts'
import type { MarketTradesQuery, TradesQuery } from '#resources/trades.ts'
import { HOLDING_SORTS, type HoldingsQuery } from '#resources/wallet.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readCandles } from '#store/reads/candles.ts'
import { createChainStats, readLaunchpads, readSupply, readTokenCount } from '#store/reads/chainStats.ts'
import { MAX_CLAIMS_LOOKED_AT, readClaimable, readClaims } from '#store/reads/claimable.ts'
import { MAX_LOOKED_AT, readHolderDistribution, readHolders } from '#store/reads/holders.ts'
import { readAsset, readBlock, readDayTotals, readHoldersFrom, readPair, readPairEvents } from '#store/reads/marketData.ts'
import { readFinality } from '#store/reads/page.ts'
import { readSearch } from '#store/reads/search.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { MAX_TOKENS_FILTERED, readToken } from '#store/reads/tokens.ts'
import { readLeaders, readTraders } from '#store/reads/traders.ts'
import { MAX_TRADES_FILTERED, readMarketTrades, readTrades } from '#store/reads/trades.ts'
import { MAX_HOLDINGS, readHoldings, readWallet } from '#store/reads/wallet.ts'
import { readOutdatedTokens } from '#store/rows/currencies.ts'
import { readTokensUpdatedAt } from '#store/rows/cursor.ts'
import { readPlainHolders } from '#store/rows/holderCodes.ts'
import { loadRows } from '#store/rows/loadRows.ts'
import type { BalanceKey, CreatorFeeKey, RowKeys } from '#tables/changes.ts'
import { toBytes } from '#tables/columns.ts'
import { useDatabase } from '#test/support/database.ts'
import { measuredPlansOf, rowsRead } from '#test/support/explain.ts'
import { listTokens } from '#test/support/listTokens.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/*
 * The plans of every query that a request can lead to, on tables of the shape of large ones: a few tokens with most of the trades and
 * holders, a creator with a twentieth of all tokens, statuses and launchpads of next to none.
 */

const SCALE: GrowthScale = {
  name: 'test',
  seed: 5,
  tokens: 5_000,
  trades: 80_000,
  mostTrades: 12_000,
  wallets: 10_007,
  creators: 1_000,
  days: 30,
}
const CHAIN_ID = 8_453
const GROWING =
  'token token_name pool trade balance candle creator_fee trader leader block_undo holder_code pool_creation join_exit milestone'.split(' ')

const { kysely } = await useDatabase()

beforeAll(async () => {
  const folder = await makeTemporaryFolder()
  spoolTokens(SCALE, folder.path, { share: 0, shares: 1, onProgress: () => undefined })
  await loadTables(kysely, SCALE, folder.path, () => undefined)
  await folder.remove()
})

const LIMIT = 10
const STATUSES: readonly (readonly GraduationStatus[] | undefined)[] = [
  undefined,
  ['none'],
  ['bonding', 'none'],
  ['completed'],
  ['migrated'],
]

/** A column that always has a value, one that may have none, and one of a few tokens. */
const EVERY_PART: readonly TokenSort[] = ['createdAt', 'marketCap', 'graduation']

describe('every list of tokens', () => {
  // A part of the list per launchpad and status, of which a page reads its length, and then the tokens of the page with their pools.
  const MAX_ROWS = 16 * (LIMIT + 1) + 40

  test.each(TOKEN_SORTS)('reads a bounded stretch of an index, by %s', async sort => {
    expect(await faultsOfLists(sort, undefined, MAX_ROWS)).toEqual([])
  })

  test.each(TOKEN_SORTS)('of a creator reads the index entries of the creator’s tokens, by %s', async sort => {
    const { rows } = await sql<{ creator: Address; count: number }>`
      select creator, count(*)::integer as count from token where creator in (${toBytes(addressOf('creator', 0))}, ${toBytes(addressOf('creator', 9))})
      group by creator order by count desc`.execute(kysely)
    expect(rows).toHaveLength(2)
    for (const { creator, count } of rows) {
      // Those with a value and those without are read apart.
      expect(await faultsOfLists(sort, creator, MAX_ROWS + 2 * count)).toEqual([])
    }
  })

  async function faultsOfLists(sort: TokenSort, creator: Address | undefined, maxRows: number): Promise<readonly string[]> {
    // Each sort has indexes of its own. Statuses and launchpads are parts of the same index for all of them.
    const all = creator === undefined && EVERY_PART.includes(sort)
    const queries = combinations({
      order: ['asc', 'desc'],
      // A creator's tokens are all read, whatever the status and launchpad are.
      status: all ? STATUSES : [undefined, ['bonding', 'none']],
      launchpad: all ? [undefined, [LAUNCHPADS[0]], [LAUNCHPADS[3]]] : [undefined, [LAUNCHPADS[0]]],
    } satisfies Choices<TokensQuery>)
    const faults: string[] = []
    for (const filters of queries) {
      const query = given({ sort, limit: LIMIT, creator, ...filters }) as TokensQuery
      const listed = await faultsOf(db => pageOf(3, query, asked => listTokens(db, asked)), maxRows)
      // Each part of the list may have more than are counted. The sort does not matter to a count.
      const counted = sort === 'createdAt' ? await faultsOf(db => readTokenCount(db, query), 16 * (MAX_TOKENS_FILTERED + 1)) : []
      const found = [...listed, ...counted]
      faults.push(...found.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    return faults
  }

  test.each(TOKEN_SORTS)('with filters looks at a bounded number, by %s', async sort => {
    const faults: string[] = []
    for (const filters of [
      { order: 'desc', minHolders: 1 },
      { order: 'asc', minHolders: 0, minMarketCap: '40' },
      { order: 'desc', minLiquidity: '0.000001', launchpad: [LAUNCHPADS[0] ?? ''], status: ['bonding', 'migrated'] },
      { order: 'desc', minVolume24h: '0.1', minGraduation: 100 },
      { order: 'desc', maxSniperPercent: 5, maxInsiderPercent: 5 },
      { order: 'desc', surface: 'bankr' },
      { order: 'asc', createdAfter: startOf(SCALE) + 86_400, createdBefore: END, minHolders: 2 },
    ] as const) {
      const query: TokensQuery = { sort, limit: LIMIT, ...filters }
      // Each filter's tokens are counted that far, and then a page looks at as many with a value in the sort's column, and without.
      const found = await faultsOf(db => listTokens(db, query), 4 * (MAX_TOKENS_FILTERED + 16))
      faults.push(...found.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    expect(faults).toEqual([])
  })

  test.each([
    // Tokens with little liquidity are small: the first that are looked at are left out.
    ['liquidity', 'asc', 'liquidity_weth, address'],
    ['graduation', 'desc', 'graduation_percent desc nulls last, case when graduation_percent is not null then address end desc, address'],
  ] as const)('gives each of the thousands that a filter lets through once and in order, by %s', async (sort, order, sorted) => {
    const { rows: sizes } = await sql<{ half: string }>`
      select percentile_disc(0.5) within group (order by market_cap_weth)::text as half from token`.execute(kysely)
    const filters = { minMarketCap: sizes[0]?.half ?? '', minLiquidity: '0' }
    const { rows } = await sql<{ address: Address }>`select address from token
      where market_cap_weth >= ${filters.minMarketCap}::numeric and liquidity_weth >= 0 order by ${sql.raw(sorted)}`.execute(kysely)
    expect(rows.length).toBeGreaterThan(MAX_TOKENS_FILTERED)
    const listed: Address[] = []
    let shorter = 0
    let cursor: TokenCursor | null | undefined
    while (cursor !== null) {
      const query: TokensQuery = { sort, order, limit: 100, ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await listTokens(kysely, query)
      listed.push(...page.data.map(({ address }) => address))
      if (page.next !== null && page.data.length < 100) shorter++
      cursor = page.next
    }
    expect(listed).toEqual(rows.map(({ address }) => address))
    expect(shorter).toBeGreaterThan(0)
  })

  test('reads a bounded stretch among those without a value', async () => {
    const cursor = { value: null, address: addressOf('token', 3) }
    for (const sort of [
      'marketCap',
      'priceChange5m',
      'priceChange1h',
      'priceChange24h',
      'liquidity',
      'lastTradeAt',
      'graduation',
      'migratedAt',
    ] as const) {
      expect(await faultsOf(db => listTokens(db, { sort, order: 'desc', limit: LIMIT, cursor }), MAX_ROWS)).toEqual([])
    }
  })

  test.each(TOKEN_SORTS)('reads the addresses that are asked for, by %s', async sort => {
    const addresses = Array.from({ length: 100 }, (_, index) => addressOf('token', index * 7))
    for (const status of STATUSES) {
      const query = given({ sort, order: 'desc' as const, status, addresses, limit: 100 }) as TokensQuery
      expect(await faultsOf(db => listTokens(db, query), 3 * 101)).toEqual([])
    }
  })
})

describe('every list of a token’s trades', () => {
  // Of both sides, one row more is read to see which side comes first.
  const MAX_ROWS = LIMIT + 3
  const middle = blockAt(SCALE, (startOf(SCALE) + END) / 2)

  test.each([0, 5, 7, 400])('reads a bounded stretch of an index: token %i', async rank => {
    const token = addressOf('token', rank)
    const { maker } = (await readTrades(kysely, { address: token, order: 'asc', limit: 1 }))?.data[0] ?? { maker: addressOf('wallet', 0) }
    const queries = combinations({
      order: ['asc', 'desc'],
      side: [undefined, 'buy', 'sell'],
      maker: [undefined, maker],
      fromBlock: [undefined, middle],
      toBlock: [undefined, middle + 200_000],
    } satisfies Choices<TradesQuery>)
    const faults: string[] = []
    for (const filters of queries) {
      const query = given({ address: token, limit: LIMIT, ...filters }) as TradesQuery
      const found = await faultsOf(db => pageOf(3, query, asked => readTrades(db, asked)), MAX_ROWS)
      faults.push(...found.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    for (const filters of combinations({
      order: ['asc', 'desc'],
      side: [undefined, 'buy', 'sell'],
      minWeth: [undefined, '0.05', '1000000'],
    } satisfies Choices<TradesQuery>)) {
      const query = given({ address: token, limit: LIMIT, sort: 'size', ...filters }) as TradesQuery
      const found = await faultsOf(db => pageOf(3, query, asked => readTrades(db, asked)), 2 * (LIMIT + 1))
      faults.push(...found.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    expect(faults).toEqual([])
  })
})

describe('every list of trades over all tokens', () => {
  test.each([
    ['everything', {}, 2 * (LIMIT + 1)],
    ['many tokens', { tokens: Array.from({ length: 40 }, (_, index) => addressOf('token', index * 3)) }, 80 * (LIMIT + 1) + LIMIT + 1],
    ['as many tokens as may be asked', { tokens: Array.from({ length: 100 }, (_, index) => addressOf('token', index)) }, 201 * (LIMIT + 1)],
    ['makers', { makers: Array.from({ length: 20 }, (_, index) => addressOf('wallet', index)) }, 40 * (LIMIT + 1) + LIMIT + 1],
    [
      'makers of tokens',
      { makers: [addressOf('wallet', 0), addressOf('wallet', 1)], tokens: [0, 5].map(rank => addressOf('token', rank)) },
      8 * (LIMIT + 1) + LIMIT + 1,
    ],
  ] as const)('reads a bounded stretch of an index: %s', async (_name, asked, found) => {
    const queries = combinations({
      order: ['asc', 'desc'],
      side: [undefined, 'sell'],
      minWeth: [undefined, '0.3'],
      launchpad: [undefined, [LAUNCHPADS[3]]],
      from: [undefined, startOf(SCALE) + 5 * 86_400],
    } satisfies Choices<MarketTradesQuery>)
    const faults: string[] = []
    for (const filters of queries) {
      const query = given({ ...asked, limit: LIMIT, ...filters }) as MarketTradesQuery
      const isFiltered = query.minWeth !== undefined || query.launchpad !== undefined || !('tokens' in asked || 'makers' in asked)
      // With a look at the token of each for its launchpad; the search for a time takes some more.
      const maxRows = (isFiltered ? 2 * (MAX_TRADES_FILTERED + 500) : found) + 80
      const wrong = await faultsOf(db => pageOf(2, query, next => readMarketTrades(db, next)), maxRows)
      faults.push(...wrong.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    expect(faults).toEqual([])
  })

  test('of a hundred tokens sorts a tenth of what their stretches hold', async () => {
    const tokens = Array.from({ length: 100 }, (_, rank) => addressOf('token', rank))
    const limit = 50
    for (const order of ['asc', 'desc'] as const) {
      const plans = await measuredPlansOf(kysely, db => readMarketTrades(db, { tokens, order, limit }))
      const looked = plans.flat().filter(node => node['Relation Name'] === 'trade')
      expect(looked.reduce((sum, node) => sum + rowsRead(node), 0)).toBeGreaterThan(limit * tokens.length)
      const sorted = plans.flat().filter(node => node['Node Type'].endsWith('Sort'))
      const rows = sorted.map(({ Plans = [] }) => Plans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0))
      expect(Math.max(...rows)).toBeLessThan((2 * tokens.length * (limit + 1)) / 10)
    }
  })

  test('of a launchpad looks up each token once', async () => {
    const query: MarketTradesQuery = { launchpad: [LAUNCHPADS[0]], order: 'desc', limit: LIMIT }
    const { rows } = await sql<{ tokens: number }>`select count(distinct token)::integer as tokens from (
      select token from trade order by block_number desc, log_index desc limit ${MAX_TRADES_FILTERED}) as newest`.execute(kysely)
    const plans = await measuredPlansOf(kysely, db => readMarketTrades(db, query))
    for (const nodes of plans) {
      const reads = nodes.filter(node => node['Relation Name'] === 'token').map(rowsRead)
      expect(reads.reduce((sum, count) => sum + count, 0)).toBe(rows[0]?.tokens)
    }
  })
})

describe('every other read', () => {
  test('of the launchpads reads their totals, and counts the day’s launches', async () => {
    const launched = await sql<{ count: number }>`select count(*)::integer from token where created_at > ${END - 86_400}`.execute(kysely)
    expect(await faultsOf(db => readLaunchpads(db), (launched.rows[0]?.count ?? 0) + 40)).toEqual([])
  })

  test('of holders looks at a bounded number, whatever types are left out', async () => {
    for (const rank of [0, 1, 400]) {
      const token = addressOf('token', rank)
      const all: HoldersQuery = { address: token, excludeType: [], limit: LIMIT }
      expect(await faultsOf(db => pageOf(3, all, (asked: HoldersQuery) => readHolders(db, asked)), 2 * LIMIT + 3)).toEqual([])
      // Of types that few holders are, a page of those that are left ends the reading.
      for (const [excludeTypes, maxRows] of [
        [['pool', 'curve'], 2 * LIMIT + 6],
        [['wallet'], MAX_LOOKED_AT + LIMIT + 3],
        [HOLDER_TYPES.filter(type => type !== 'burn'), MAX_LOOKED_AT + LIMIT + 3],
      ] as const) {
        const query: HoldersQuery = { address: token, excludeType: excludeTypes, limit: LIMIT }
        expect(await faultsOf(db => pageOf(2, query, (asked: HoldersQuery) => readHolders(db, asked)), maxRows)).toEqual([])
      }
    }
  })

  test('of how a token is spread reads the largest holders', async () => {
    for (const rank of [0, 1, 400]) {
      // The ten largest are looked for as those of a page without some types; and those with a thousandth of the supply.
      expect(await faultsOf(db => readHolderDistribution(db, addressOf('token', rank)), MAX_LOOKED_AT + 1_000 + 4)).toEqual([])
    }
  })

  test.each(TRADER_SORTS)('of traders reads a bounded stretch of an index, by %s', async sort => {
    for (const rank of [0, 1, 400]) {
      const query: TradersQuery = { address: addressOf('token', rank), sort, limit: LIMIT }
      expect(await faultsOf(db => pageOf(3, query, (asked: TradersQuery) => readTraders(db, asked)), LIMIT + 3)).toEqual([])
      const early: TradersQuery = { ...query, class: 'sniper' }
      expect(await faultsOf(db => pageOf(2, early, (asked: TradersQuery) => readTraders(db, asked)), MAX_LOOKED_AT + 3)).toEqual([])
    }
  })

  test('of leaders reads a bounded stretch of an index, and the trades that are not counted yet', async () => {
    const asked = { window: LEADER_WINDOWS, sort: LEADER_SORTS, launchpad: [undefined, LAUNCHPADS[0]] } satisfies Choices<LeadersQuery>
    for (const query of combinations(asked)) {
      const read = (db: Queryable) => pageOf(3, { ...given(query), limit: LIMIT } as LeadersQuery, next => readLeaders(db, next))
      expect([query, await faultsOf(read, 100)]).toEqual([query, []])
    }
  })

  test('of a wallet reads its holdings, at most those that are valued, and the index entries of what it created', async () => {
    const { rows } = await sql<{ holder: Address; held: number; created: number }>`
      select holder, count(*)::integer as held, (select count(*)::integer from token where creator = holder) as created
      from balance where balance > 0 group by holder order by held desc limit 1`.execute(kysely)
    const { rows: others } = await sql<{ holder: Address; held: number; created: number }>`
      select creator as holder, (select count(*)::integer from balance where holder = creator and balance > 0) as held,
        count(*)::integer as created from token group by creator order by created desc limit 1`.execute(kysely)
    for (const { holder: wallet, held, created } of [...rows, ...others]) {
      const valued = 2 * Math.min(held, MAX_HOLDINGS + 1)
      expect(await faultsOf(db => readWallet(db, wallet), valued + created + 3)).toEqual([])
      for (const sort of HOLDING_SORTS) {
        const query: HoldingsQuery = { address: wallet, sort, limit: LIMIT }
        const maxRows = (sort === 'lastChanged' ? 2 * (LIMIT + 1) : valued) + 2 * (LIMIT + 1) + 2
        expect(await faultsOf(db => pageOf(2, query, (asked: HoldingsQuery) => readHoldings(db, asked)), maxRows)).toEqual([])
      }
    }
  })

  test('of what a creator of many tokens can claim in all looks at a bounded number of accounts', async () => {
    const options = { creator: addressOf('creator', 0), weth: WETH, claimCall: () => null, vestedOf: () => null }
    const query: ClaimsQuery = { address: options.creator, limit: LIMIT }
    const work = (db: Queryable) => pageOf(2, query, (asked: ClaimsQuery) => readClaims(db, asked, options))
    expect(await faultsOf(work, 2 * (MAX_CLAIMS_LOOKED_AT + 1) + 2)).toEqual([])
  })

  /** A page of candles of seconds is made from 2,000 trades, and one of a week from the candles of its days. */
  const rowsOfCandles = (interval: CandleInterval) => {
    const source = candleSourceOf(interval)
    if (source.type === 'trades') return 2_200
    if (source.type === 'stored') return LIMIT + 4
    return 2 * (LIMIT + 1) * (CANDLE_INTERVALS[interval] / CANDLE_INTERVALS[source.from]) + 8
  }

  test('of candles reads a bounded stretch, filled or not, in WETH and in USD', async () => {
    const times = [undefined, startOf(SCALE) + 5 * 86_400]
    const faults: string[] = []
    for (const query of combinations({
      address: [0, 2, 7].map(rank => addressOf('token', rank)),
      of: ['price'] as const,
      interval: ['1s', '30s', '1m', '4h', '12h', '1w'] as const,
      currency: ['weth', 'usd'] as const,
      fill: [false, true],
      from: times,
      to: [undefined, END - 3_600],
    })) {
      const asked = given({ ...query, limit: LIMIT }) as Parameters<typeof readCandles>[1]
      const found = await faultsOf(db => pageOf(2, asked, next => readCandles(db, next)), rowsOfCandles(query.interval))
      faults.push(...found.map(fault => `${JSON.stringify(query)}: ${fault}`))
    }
    expect(faults).toEqual([])
  })

  test('of what a creator of many tokens can claim reads the rows of one token', async () => {
    const claimCall = () => null
    const input = { token: addressOf('token', 50), creator: addressOf('creator', 0), weth: WETH, claimCall, vestedOf: () => null }
    expect(await faultsOf(db => readClaimable(db, input), 5)).toEqual([])
  })

  test('of a token, its snapshot and what a commit changed goes by index', async () => {
    const address = addressOf('token', 0)
    expect(await faultsOf(db => readToken(db, address, CHAIN_ID), 2)).toEqual([])
    expect(await faultsOf(db => readSnapshots(db, { chainId: CHAIN_ID, addresses: [address] }), 41)).toEqual([])
    expect(await faultsOf(db => readTokensUpdatedAt(db, END * 1_000), 50)).toEqual([])
  })

  test('of the statistics reads the totals, and counts the day’s launches', async () => {
    const launched = await sql<{ count: number }>`select count(*)::integer from token where created_at > ${END - 86_400}`.execute(kysely)
    expect(await faultsOf(db => createChainStats(db, CHAIN_ID)(), (launched.rows[0]?.count ?? 0) + 40)).toEqual([])
  })

  test('of a supply reads what is out of circulation', async () => {
    const { rows } = await sql<{ token: Address; count: number }>`
      select token, count(*)::integer as count from balance where type in ('burn', 'locker') group by token order by count desc limit 1`.execute(
      kysely,
    )
    expect(rows).toHaveLength(1)
    for (const { token, count } of [...rows, { token: addressOf('token', 0), count: 1 }]) {
      expect(await faultsOf(db => readSupply(db, token), count + 1)).toEqual([])
    }
  })

  test('of an asset, a pair and a block goes by index', async () => {
    for (const id of [addressOf('token', 0), WETH, ZERO_ADDRESS, addressOf('contract', 98)]) {
      expect(await faultsOf(db => readAsset(db, id), 4)).toEqual([])
    }
    expect(await readAsset(kysely, WETH)).toMatchObject({ symbol: 'WETH', decimals: 18 })
    expect(await faultsOf(db => readPair(db, addressOf('pool', 0)), 3)).toEqual([])
    expect(await readPair(kysely, addressOf('pool', 0))).toMatchObject({ token: addressOf('token', 0) })
    for (const at of [{ number: 5_000 }, { timestamp: END - 100 }]) expect(await faultsOf(db => readBlock(db, at), 4)).toEqual([])
    expect(await faultsOf(db => readFinality(db), 1)).toEqual([])
  })

  test('of the events of all pairs reads those of a range of blocks', async () => {
    const range = { fromBlock: blockAt(SCALE, END) - 1_000, toBlock: blockAt(SCALE, END) - 1 }
    let all = 0
    for (const launchpad of LAUNCHPADS) all += (await readPairEvents(kysely, launchpad, range, 10_000)).length
    expect(all).toBeGreaterThan(100)
    // With the pool of each, and the token of those of the launchpad.
    expect(await faultsOf(db => readPairEvents(db, LAUNCHPADS[0], range, 10_000), 3 * all)).toEqual([])
  })

  test('of a place far behind among the holders reads the index alone', async () => {
    const token = addressOf('token', 0)
    const [nodes = []] = await measuredPlansOf(kysely, db => readHoldersFrom(db, token, 2_000, LIMIT))
    const reads = nodes
      .filter(node => node['Relation Name'] === 'balance')
      .map(node => [node['Node Type'], node['Index Name'], rowsRead(node)])
    expect(reads).toEqual([['Index Only Scan', 'balance_by_size', 2_000 + LIMIT]])
  })

  test('of a day of the tokens that trade most reads candles of hours and of the first minutes', async () => {
    const tokens = Array.from({ length: 100 }, (_, rank) => addressOf('token', rank))
    expect((await readDayTotals(kysely, tokens)).length).toBeGreaterThan(20)
    const plans = await measuredPlansOf(kysely, db => readDayTotals(db, tokens))
    const scans = plans.flat().filter(node => node['Relation Name'] === 'candle')
    expect(new Set(scans.map(node => `${node['Node Type']} ${node['Index Name']}`))).toEqual(new Set(['Index Only Scan candle_by_time']))
    expect(await faultsOf(db => readDayTotals(db, tokens), tokens.length * (84 + 3))).toEqual([])
  })

  test.each(['p', 'pe', 'pepe', 'pepr', 'dog', 'z', 'zy', 'kabamo', '0x0a0b', 'moon cat', 'meon cat', 'nothing like it'])(
    'of a search for %s looks at a bounded number',
    async q => {
      expect(await faultsOf(db => readSearch(db, { q, limit: LIMIT }, CHAIN_ID), 3_000)).toEqual([])
    },
  )
})

describe('a commit', () => {
  const asked = Array.from({ length: 10 }, (_, index) => addressOf('token', index * 3))
  const expire = (count: number) =>
    sql`
    with first as (select address from token order by address limit ${count})
    update token set windows_expire_at = case when address in (select address from first) then ${END} else ${END} + 3600 end`.execute(
      kysely,
    )

  const keysOf = async (tokens: readonly Address[]): Promise<RowKeys> => {
    const { rows: balances } = await sql<BalanceKey>`
      select distinct on (token) token, holder from balance where token = any(${tokens.map(toBytes)}::bytea[])`.execute(kysely)
    const { rows: creatorFees } = await sql<CreatorFeeKey>`
      select launchpad, creator, currency, token from creator_fee limit 10`.execute(kysely)
    return { tokens, currencies: [], ticks: [], balances, creatorFees }
  }

  test('reads what it changes and what has expired, also where the server believes that all tokens have', async () => {
    const keys = await keysOf(asked)
    await expire(SCALE.tokens)
    await sql`analyze token`.execute(kysely)
    await expire(5)
    // Of up to 15 tokens a row and a pool or two; per window the trades that left it, one on each side of its start.
    expect(await faultsOf(db => loadRows(db, keys, { now: END, expired: true, pending: null, weth: WETH }), 300)).toEqual([])
  })

  test('reads no more beside a batch whose commit is under way', async () => {
    const { rows } = await sql<{ after: number }>`select max(block_number)::integer + 1 as after from trade`.execute(kysely)
    const pending = { from: rows[0]?.after ?? 0, changes: NO_CHANGES }
    const keys = await keysOf(asked)
    expect(await faultsOf(db => loadRows(db, keys, { now: END, expired: false, pending, weth: WETH }), 300)).toEqual([])
  })

  test('is followed by a look at the largest holders of its tokens', async () => {
    await sql`insert into holder_code (holder, contract) select distinct holder, false from balance`.execute(kysely)
    await sql`analyze holder_code`.execute(kysely)
    const tokens = Array.from({ length: 50 }, (_, index) => addressOf('token', index))
    expect(await faultsOf(db => readPlainHolders(db, tokens, 300), 2 * 50 * tokens.length)).toEqual([])
  })

  test.each([999, 1_000, 1_001, 2_500])('reads all of %i tokens that have expired', async count => {
    await expire(count)
    const { rows } = await sql<{ address: Address }>`select address from token where windows_expire_at <= ${END}`.execute(kysely)
    const { tokens } = await loadRows(
      kysely,
      { tokens: asked, currencies: [], ticks: [], balances: [], creatorFees: [] },
      { now: END, expired: true, pending: null, weth: WETH },
    )
    const expected = new Set([...asked, ...rows.map(({ address }) => address)])
    expect(new Set(tokens.keys())).toEqual(expected)
  })

  test('finds the tokens that are off among all of a currency by the index’s order, whatever they were valued by', async () => {
    const currency = addressOf('token', 1)
    const most = 20
    for (const [stored, rate] of [
      ['1000', '1010'],
      ['1000', '990'],
      ['1000', null],
      [null, '1000'],
    ] as const) {
      await sql`update token set quote_token = ${toBytes(currency)}, quote_rate = ${stored}::numeric, quote_usd = null`.execute(kysely)
      await sql`vacuum analyze token`.execute(kysely)
      const asked = [{ currency, rate: rate === null ? null : parseDecimal(rate) }]
      expect(await readOutdatedTokens(kysely, asked, most)).toHaveLength(most)
      expect(await faultsOf(db => readOutdatedTokens(db, asked, most), most)).toEqual([])
    }
  })
})

/** Reads on to a page, and gives it again as the last thing that is read. */
async function pageOf<Query extends object, Cursor>(
  page: number,
  query: Query,
  read: (query: Query & { cursor?: Cursor }) => Promise<{ readonly next: Cursor | null } | null>,
): Promise<void> {
  let cursor: Cursor | undefined
  for (let number = 1; number <= page; number++) {
    const answer = await read(cursor === undefined ? query : { ...query, cursor })
    if (answer === null || answer.next === null) return
    cursor = answer.next
  }
}

/**
 * What is wrong with the statements of some work: reading a growing table from end to end, or more rows than the bound, or sorting more, or
 * walking over the same ones again and again.
 */
async function faultsOf(work: (db: Queryable) => Promise<unknown>, maxRows: number): Promise<readonly string[]> {
  const plans = await measuredPlansOf(kysely, work)
  return plans.flatMap(nodes => {
    const scans = nodes.filter(node => GROWING.includes(node['Relation Name'] ?? ''))
    const endToEnd = scans.filter(node => node['Node Type'] === 'Seq Scan').map(node => `reads ${node['Relation Name']} from end to end`)
    const rows = scans.reduce((sum, node) => sum + rowsRead(node), 0)
    const tooMany = rows > maxRows ? [`reads ${rows} rows: ${scans.map(node => `${node['Index Name']} ${rowsRead(node)}`).join(', ')}`] : []
    const sorted = nodes
      .filter(node => node['Node Type'].endsWith('Sort'))
      .map(node => (node.Plans ?? []).reduce((sum, { 'Actual Rows': of, 'Actual Loops': loops }) => sum + of * loops, 0))
      .filter(count => count > maxRows)
    const walked = nodes.filter(node => node['Node Type'] === 'CTE Scan').reduce((sum, node) => sum + rowsRead(node), 0)
    const tooFar = walked > 4 * maxRows ? [`walks over ${walked} rows in memory`] : []
    return [...endToEnd, ...tooMany, ...tooFar, ...sorted.map(count => `sorts ${count} rows`)]
  })
}

/** Values of a query's parameters to combine. A name that the query does not have is an error of types. */
type Choices<Query> = { readonly [Name in keyof Query]?: readonly (Query[Name] | undefined)[] }

/** Every combination of one value of each. */
function combinations<T extends Record<string, readonly unknown[]>>(values: T): { readonly [K in keyof T]: T[K][number] }[] {
  return Object.entries(values).reduce<Record<string, unknown>[]>(
    (combined, [name, choices]) => combined.flatMap(one => choices.map(choice => ({ ...one, [name]: choice }))),
    [{}],
  ) as { readonly [K in keyof T]: T[K][number] }[]
}

/** Without what is undefined, as a request without the parameter. */
function given<T extends object>(query: T): T {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as T
}
