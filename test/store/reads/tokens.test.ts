import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseDecimal } from '#domain/decimal.ts'
import type { GraduationStatus } from '#domain/token.ts'
import { TOKEN_SORTS, type TokenCursor, type TokenSort, type TokensQuery } from '#resources/tokens.ts'
import { readSearch } from '#store/reads/search.ts'
import { readToken } from '#store/reads/tokens.ts'
import { useDatabase } from '#test/support/database.ts'
import { listTokens } from '#test/support/listTokens.ts'
import { addressOf, chainStateRow, insertRows, type Row, tokenRow } from '#test/support/rows.ts'
import { type From, pagesOf } from './pagesOf.ts'

const CHAIN_ID = 31337
const { kysely, clear } = await useDatabase()

const STATUSES = ['none', 'bonding', 'completed', 'migrated'] as const

/** Few distinct values, so that ties and rows without a value are everywhere. */
const randomToken = fc.record({
  created_at: fc.integer({ min: 1_700_000_000, max: 1_700_000_010 }),
  market_cap_weth: fc.option(
    fc.constantFrom('0', '0.000000000000000001', '1.5', '1.50000000000000000001', '123456789012345678901234567890.1'),
  ),
  liquidity_weth: fc.option(fc.constantFrom('0.1', '0.10', '7')),
  volume_m5: fc.constantFrom('0', '5'),
  volume_h1: fc.constantFrom('0', '70000000000000000000'),
  volume_h24: fc.constantFrom('0', '1', '340282366920938463463374607431768211456'),
  price_change_m5: fc.option(fc.constantFrom(0, 0.5)),
  price_change_h1: fc.option(fc.constantFrom(-1e-7, 0, 3.3333)),
  price_change_h24: fc.option(fc.constantFrom(-99.9999, -0.1, 0, 0.1, 1e21, 12.3457)),
  holder_count: fc.constantFrom(0, 1, 2147483647),
  buys_m5: fc.nat(1),
  sells_h1: fc.nat(2),
  buys_h24: fc.nat(2),
  sells_h24: fc.nat(2),
  buyers_h1: fc.nat(1),
  buyers_h6: fc.nat(2),
  buyers_h24: fc.nat(3),
  migrated_at: fc.option(fc.integer({ min: 1_700_000_004, max: 1_700_000_006 })),
  last_trade_at: fc.option(fc.integer({ min: 1_700_000_000, max: 1_700_000_003 })),
  graduation_percent: fc.option(fc.constantFrom(0, 41.2, 100)),
  graduation_status: fc.constantFrom(...STATUSES),
  creator: fc.constantFrom(addressOf(1), addressOf(2)),
  launchpad: fc.constantFrom('wow', 'clanker'),
})

const COLUMNS: Readonly<Record<TokenSort, (row: Row) => unknown>> = {
  createdAt: row => row['created_at'],
  marketCap: row => row['market_cap_weth'],
  volume5m: row => row['volume_m5'],
  volume1h: row => row['volume_h1'],
  volume24h: row => row['volume_h24'],
  priceChange5m: row => row['price_change_m5'],
  priceChange1h: row => row['price_change_h1'],
  priceChange24h: row => row['price_change_h24'],
  liquidity: row => row['liquidity_weth'],
  holders: row => row['holder_count'],
  trades5m: row => Number(row['buys_m5']) + Number(row['sells_m5']),
  trades1h: row => Number(row['buys_h1']) + Number(row['sells_h1']),
  trades24h: row => Number(row['buys_h24']) + Number(row['sells_h24']),
  lastTradeAt: row => row['last_trade_at'],
  graduation: row => row['graduation_percent'],
  migratedAt: row => row['migrated_at'],
  trending: row => 24 * Number(row['buyers_h1']) + 4 * Number(row['buyers_h6']) + Number(row['buyers_h24']),
}

/** What a column's value is ordered by, exactly. */
function comparable(value: unknown): bigint | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? parseDecimal(value) : Number(value)
}

function isAtLeast(value: unknown, bound: string | number | undefined): boolean {
  return bound === undefined || (value !== null && Number(value) >= Number(bound))
}

/** The listing said plainly: filter, sort, with ties by address and rows without a value last by rising address. */
function expectedAddresses(rows: readonly Row[], query: Omit<TokensQuery, 'limit'>): readonly unknown[] {
  const kept = rows.filter(
    row =>
      (query.status === undefined || query.status.some(status => status === row['graduation_status'])) &&
      (query.creator === undefined || row['creator'] === query.creator) &&
      (query.launchpad === undefined || query.launchpad.some(launchpad => launchpad === row['launchpad'])) &&
      isAtLeast(row['market_cap_weth'], query.minMarketCap) &&
      isAtLeast(row['liquidity_weth'], query.minLiquidity) &&
      isAtLeast(`${row['volume_h24']}e-18`, query.minVolume24h) &&
      isAtLeast(row['holder_count'], query.minHolders) &&
      isAtLeast(row['graduation_percent'], query.minGraduation) &&
      Number(row['created_at']) > (query.createdAfter ?? 0) &&
      Number(row['created_at']) < (query.createdBefore ?? Number.MAX_SAFE_INTEGER) &&
      (query.addresses === undefined || query.addresses.some(address => address === row['address'])),
  )
  const sign = query.order === 'desc' ? -1 : 1
  const byAddress = (a: Row, b: Row) => (String(a['address']) < String(b['address']) ? -1 : 1)
  return kept
    .toSorted((a, b) => {
      const [left, right] = [comparable(COLUMNS[query.sort](a)), comparable(COLUMNS[query.sort](b))]
      if (left === null || right === null) return left === right ? byAddress(a, b) : left === null ? 1 : -1
      if (left !== right) return left < right ? -sign : sign
      return sign * byAddress(a, b)
    })
    .map(row => row['address'])
}

const readAll = async (query: Omit<TokensQuery, 'cursor'>, betweenPages?: () => Promise<void>) =>
  (await pagesOf(query.limit, (from: From<TokenCursor>) => listTokens(kysely, { ...query, ...from }), betweenPages)).flat()

describe('listing tokens', () => {
  beforeEach(clear)

  test('gives every row once and in order through all pages, whatever sort, order, filter and page size', async () => {
    const rows = fc.sample(randomToken, { seed: 20260801, numRuns: 240 }).map((columns, index) => tokenRow(index * 7919 + 1, columns))
    await insertRows(kysely, 'token', rows)
    const query = fc.record(
      {
        sort: fc.constantFrom(...TOKEN_SORTS),
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.constantFrom(1, 7, 50, 100),
        statuses: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
        creator: fc.constantFrom(addressOf(1), addressOf(2), addressOf(3)),
        launchpads: fc.uniqueArray(fc.constantFrom('wow', 'clanker', 'nowhere'), { minLength: 1 }),
        minMarketCap: fc.constantFrom('0', '1.5', '2'),
        minLiquidity: fc.constantFrom('0.05', '7'),
        minVolume24h: fc.constantFrom('0', '0.000000000000000001', '5'),
        minHolders: fc.constantFrom(0, 1),
        minGraduation: fc.constantFrom(0, 41.2, 50),
        createdAfter: fc.constantFrom(1_700_000_000, 1_700_000_003),
        createdBefore: fc.constantFrom(1_700_000_009, 1_700_000_010),
        addresses: fc.uniqueArray(
          fc.nat(400).map(index => addressOf(index * 7919 + 1)),
          { maxLength: 100 },
        ),
      },
      { requiredKeys: ['sort', 'order', 'limit'] },
    )
    await fc.assert(
      fc.asyncProperty(query, async chosen => {
        const wanted = chosen.limit === 1 ? { ...chosen, creator: addressOf(1), statuses: ['bonding' as const] } : chosen
        const listed = await readAll(wanted)
        expect(listed.map(token => token.address)).toEqual(expectedAddresses(rows, wanted))
      }),
      { numRuns: 80 },
    )
  })

  test.each(TOKEN_SORTS)('gives every row that was there once when others appear between the pages, by %s', async sort => {
    const rows = fc.sample(randomToken, { seed: 7, numRuns: 40 }).map((columns, index) => tokenRow(index * 1000 + 500, columns))
    await insertRows(kysely, 'token', rows)
    for (const order of ['asc', 'desc'] as const) {
      let added = 0
      const listed = await readAll({ sort, order, limit: 7 }, async () => {
        const more = fc.sample(randomToken, { seed: added, numRuns: 5 })
        await insertRows(
          kysely,
          'token',
          more.map((columns, index) => tokenRow((index + 1) * 7000 + ++added + (order === 'asc' ? 0 : 100), columns)),
        )
      })
      const old = new Set(rows.map(row => row['address']))
      expect(added).toBeGreaterThan(0)
      expect(new Set(listed.map(token => token.address)).size).toBe(listed.length)
      expect(listed.map(token => token.address).filter(address => old.has(address))).toEqual(expectedAddresses(rows, { sort, order }))
      await sql`delete from token where address <> all(${rows.map(row => Buffer.from(String(row['address']).slice(2), 'hex'))}::bytea[])`.execute(
        kysely,
      )
    }
  })

  test('says the newest indexed block, whatever blocks its tokens are of, and of no tokens too', async () => {
    await insertRows(kysely, 'chain_state', [chainStateRow({ cursor_number: 460 })])
    await insertRows(kysely, 'token', [tokenRow(1, { as_of_block: 456 })])
    const query = { sort: 'createdAt', order: 'desc', limit: 1 } as const
    const page = await listTokens(kysely, query)
    expect([page.asOfBlock, page.data[0]?.asOfBlock]).toEqual(['460', '456'])
    expect(await listTokens(kysely, { ...query, status: ['completed'] })).toMatchObject({ data: [], asOfBlock: '460' })
    for (const q of ['nothing', page.data[0]?.address ?? ''])
      expect(await readSearch(kysely, { q, limit: 1 }, CHAIN_ID)).toMatchObject({ asOfBlock: '460' })
  })

  test('finds one token, and nothing for an address that is not indexed', async () => {
    await insertRows(kysely, 'token', [tokenRow(1)])
    expect((await readToken(kysely, addressOf(1), CHAIN_ID))?.symbol).toBe('T1')
    expect(await readToken(kysely, addressOf(2), CHAIN_ID)).toBeNull()
  })
})

// Keeps the words of the contract and of the test in step.
STATUSES satisfies readonly GraduationStatus[]
