import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { GraduationStatus } from '#domain/token.ts'
import { TOKEN_SORTS, type TokenCursor, type TokensQuery } from '#resources/tokens.ts'
import { readTokenCount } from '#store/reads/chainStats.ts'
import { readSearch } from '#store/reads/search.ts'
import { readToken } from '#store/reads/tokens.ts'
import { useDatabase } from '#test/support/database.ts'
import { listTokens } from '#test/support/listTokens.ts'
import { addressOf, chainStateRow, insertRows, tokenRow } from '#test/support/rows.ts'
import { expectedAddresses, randomToken, STATUSES } from './expectedTokens.ts'
import { type From, pagesOf } from './pagesOf.ts'

const CHAIN_ID = 31337
const { kysely, clear } = await useDatabase()

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
        status: fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }),
        creator: fc.constantFrom(addressOf(1), addressOf(2), addressOf(3)),
        launchpad: fc.uniqueArray(fc.constantFrom('wow', 'clanker', 'nowhere'), { minLength: 1 }),
        minMarketCap: fc.constantFrom('0', '1.5', '2'),
        minLiquidity: fc.constantFrom('0.05', '7'),
        minVolume24h: fc.constantFrom('0', '0.000000000000000001', '5'),
        minHolders: fc.constantFrom(0, 1),
        minGraduation: fc.constantFrom(0, 41.2, 50),
        maxSniperPercent: fc.constantFrom(0, 2.3999, 2.4, 100),
        maxCreatorPercent: fc.constantFrom(0, 100),
        surface: fc.constantFrom('Bankr', 'clanker sdk', 'none'),
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
        const wanted = chosen.limit === 1 ? { ...chosen, creator: addressOf(1), status: ['bonding' as const] } : chosen
        const listed = await readAll(wanted)
        const expected = expectedAddresses(rows, wanted)
        expect(listed.map(token => token.address)).toEqual(expected)
        expect(await readTokenCount(kysely, wanted)).toBe(expected.length)
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
