import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { sizesFrom, TRADE_SIZES, weiFrom } from '#domain/trade.ts'
import type { MarketTradesQuery, TradeCursor } from '#resources/trades.ts'
import { readMarketTrades, readTrades } from '#store/reads/trades.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, type Row, tokenRow, tradeRow } from '#test/support/rows.ts'

const { kysely } = await useDatabase()
const TOKENS = [addressOf(1), addressOf(2), addressOf(3)] as const
const MAKERS = [addressOf(0xa), addressOf(0xb)] as const
const AMOUNTS = [null, '1', '99999999999999999', '100000000000000000', '150000000000000000', '1000000000000000000', '900000000000000000000']

/** Up to four trades in every second block; blocks are two seconds apart. */
const trades: readonly Row[] = Array.from({ length: 300 }, (_, index) =>
  tradeRow(TOKENS[index % 3] ?? TOKENS[0], 100 + 2 * Math.floor(index / 4), (index % 4) * 5, {
    side: index % 7 < 3 ? 'sell' : 'buy',
    maker: MAKERS[index % 5 < 2 ? 0 : 1],
    amount_wei: AMOUNTS[index % 11] ?? '30000000000000000',
  }),
)
const LAUNCHPAD_OF = { [TOKENS[0]]: 'wow', [TOKENS[1]]: 'clanker', [TOKENS[2]]: 'wow' }

beforeAll(async () => {
  await insertRows(kysely, 'chain_state', [chainStateRow()])
  await insertRows(
    kysely,
    'token',
    [1, 2, 3].map(n => tokenRow(n, { launchpad: LAUNCHPAD_OF[addressOf(n)] ?? 'wow' })),
  )
  await insertRows(kysely, 'trade', trades)
})

async function readAll(query: Omit<MarketTradesQuery, 'cursor'>): Promise<readonly string[]> {
  const all: string[] = []
  let cursor: TradeCursor | undefined
  for (;;) {
    const page = await readMarketTrades(kysely, cursor === undefined ? query : { ...query, cursor })
    expect(page.asOfBlock).toBe('456')
    expect(page.data.length).toBeLessThanOrEqual(query.limit)
    all.push(...page.data.map(({ id }) => id))
    if (page.next === null) return all
    cursor = page.next
  }
}

describe('trades over all tokens', () => {
  test('are given once and in order through all pages, whatever filters, order and page size', async () => {
    const time = fc.integer({ min: 1_700_000_000 + 190, max: 1_700_000_000 + 520 })
    const query = fc.record(
      {
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.constantFrom(3, 50, 500),
        tokens: fc.subarray([...TOKENS, addressOf(9)], { minLength: 1 }),
        makers: fc.subarray([...MAKERS, addressOf(0xc)], { minLength: 1 }),
        launchpad: fc.subarray(['wow', 'clanker'], { minLength: 1 }),
        side: fc.constantFrom('buy' as const, 'sell' as const),
        minWeth: fc.constantFrom('0', '0.03', '0.1', '0.12', '0.15', '1', '1.000000000000000001', '600', '1000000'),
        fromBlock: fc.integer({ min: 95, max: 260 }),
        toBlock: fc.integer({ min: 95, max: 260 }),
        from: time,
        to: time,
      },
      { requiredKeys: ['order', 'limit'] },
    )
    await fc.assert(
      fc.asyncProperty(query, async chosen => {
        expect(await readAll(chosen)).toEqual(expectedIds(chosen))
        const [token] = chosen.tokens ?? []
        if (token === undefined || chosen.tokens?.length !== 1 || chosen.launchpad !== undefined || chosen.makers !== undefined) return
        // The list of one token gives the same.
        const { tokens: _, ...rest } = chosen
        const page = await readTrades(kysely, { ...rest, address: token })
        const expected = expectedIds(chosen).slice(0, chosen.limit)
        expect(page?.data.map(({ id }) => id) ?? []).toEqual(token === addressOf(9) ? [] : expected)
      }),
      { numRuns: 150 },
    )
  })

  test('go on after a page that found fewer than it looked at', async () => {
    const rare = addressOf(0xd)
    const many = Array.from({ length: 4_500 }, (_, index) => tradeRow(TOKENS[0], 10_000 + index, 0, { maker: addressOf(0xe) }))
    await insertRows(kysely, 'trade', [...many, tradeRow(TOKENS[1], 9_000, 0, { maker: rare })])
    const query = { launchpad: ['clanker'], order: 'desc', limit: 2, fromBlock: 9_000 } as const
    const first = await readMarketTrades(kysely, query)
    expect(first).toMatchObject({ data: [], next: { blockNumber: 12_500, logIndex: 0 } })
    expect(await readAll(query)).toEqual(['9000-0'])
    await sql`delete from trade where block_number >= 9000`.execute(kysely)
  })

  test('are none before anything is indexed', async () => {
    const empty = await useDatabase()
    expect(await readMarketTrades(empty.kysely, { order: 'desc', limit: 5, from: 3 })).toEqual({ data: [], next: null, asOfBlock: null })
  })
})

test('sizes are counted as PostgreSQL counts them', async () => {
  const amounts = TRADE_SIZES.flatMap(size => [size - 1n, size, size + 1n])
  const { rows } = await sql<{ size: number }>`
    select width_bucket(amount, ${TRADE_SIZES.map(String)}::numeric[]) as size from unnest(${amounts.map(String)}::numeric[]) as amount`.execute(
    kysely,
  )
  expect(rows.map(({ size }) => size)).toEqual(amounts.map(amount => sizesFrom(amount)[0] ?? 0))
  expect(weiFrom('0.1')).toBe(10n ** 17n)
  expect(weiFrom('0.0000000000000000001')).toBe(1n)
})

function expectedIds(query: Omit<MarketTradesQuery, 'limit'>): readonly string[] {
  const { tokens, makers, launchpad, side, minWeth, fromBlock = 0, toBlock = 1e9, from = 0, to = 1e12 } = query
  const ids = trades
    .filter(row => tokens?.some(token => token === row['token']) !== false && makers?.some(maker => maker === row['maker']) !== false)
    .filter(row => launchpad?.includes(LAUNCHPAD_OF[row['token'] as never] ?? '') !== false)
    .filter(row => side === undefined || row['side'] === side)
    .filter(row => minWeth === undefined || (row['amount_wei'] !== null && BigInt(row['amount_wei'] as string) >= weiFrom(minWeth)))
    .filter(row => Number(row['block_number']) >= fromBlock && Number(row['block_number']) <= toBlock)
    .filter(row => Number(row['timestamp']) >= from && Number(row['timestamp']) <= to)
    .map(row => `${String(row['block_number'])}-${String(row['log_index'])}`)
  return query.order === 'asc' ? ids : ids.toReversed()
}
