import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseDecimal, units } from '#domain/decimal.ts'
import type { TokenTradeCursor, TradesQuery } from '#resources/trades.ts'
import { readTrades } from '#store/reads/trades.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, insertRows, type Row, tokenRow, tradeRow, wordOf } from '#test/support/rows.ts'
import { type From, pagesOf } from './pagesOf.ts'

const { kysely } = await useDatabase()
const TOKEN = addressOf(1)
const MAKERS = [addressOf(0xa), addressOf(0xb)] as const

/** Several trades per block, of two tokens. */
const trades: readonly Row[] = Array.from({ length: 300 }, (_, index) =>
  tradeRow(index % 3 === 0 ? addressOf(2) : TOKEN, 100 + Math.floor(index / 4), (index % 4) * 5, {
    side: index % 7 < 3 ? 'sell' : 'buy',
    maker: MAKERS[index % 5 < 2 ? 0 : 1],
    amount_wei: String(index % 11) + '0'.repeat(index % 4 === 0 ? 18 : 0),
  }),
)

beforeAll(async () => {
  await insertRows(kysely, 'token', [tokenRow(1), tokenRow(2), tokenRow(3)])
  await insertRows(kysely, 'trade', trades)
})

function expectedIds(query: Omit<TradesQuery, 'limit'>): readonly string[] {
  const ids = trades
    .filter(row => row['token'] === query.address)
    .filter(row => query.side === undefined || row['side'] === query.side)
    .filter(row => query.maker === undefined || row['maker'] === query.maker)
    .filter(
      row =>
        Number(row['block_number']) >= (query.fromBlock ?? 0) && Number(row['block_number']) <= (query.toBlock ?? Number.MAX_SAFE_INTEGER),
    )
    .map(row => `${String(row['block_number'])}-${String(row['log_index'])}`)
  return query.order === 'asc' ? ids : ids.toReversed()
}

const readAll = async (query: Omit<TradesQuery, 'cursor'>) =>
  (await pagesOf(query.limit, (from: From<TokenTradeCursor>) => readTrades(kysely, { ...query, ...from }))).flat()

describe('a token’s trades', () => {
  test('are given by size, the largest first, once each through all pages', async () => {
    const sized = fc.record(
      {
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.constantFrom(3, 50, 500),
        side: fc.constantFrom('buy' as const, 'sell' as const),
        minWeth: fc.constantFrom('0', '0.000000000000000002', '1'),
      },
      { requiredKeys: ['order', 'limit'] },
    )
    const places = trades.map(row => [BigInt(String(row['amount_wei'])), Number(row['block_number']), Number(row['log_index'])] as const)
    await fc.assert(
      fc.asyncProperty(sized, async chosen => {
        const least = parseDecimal(chosen.minWeth ?? '0')
        const expected = trades
          .map((row, index) => ({ row, place: places[index] ?? expect.fail() }))
          .filter(({ row }) => row['token'] === TOKEN && (chosen.side === undefined || row['side'] === chosen.side))
          .filter(({ place }) => units(place[0], 18) >= least)
          .toSorted(({ place: a }, { place: b }) => (a[0] === b[0] ? a[1] - b[1] || a[2] - b[2] : a[0] < b[0] ? -1 : 1))
          .map(({ place }) => `${place[1]}-${place[2]}`)
        const listed = await readAll({ ...chosen, address: TOKEN, sort: 'size' })
        expect(listed.map(trade => trade.id)).toEqual(chosen.order === 'asc' ? expected : expected.toReversed())
      }),
      { numRuns: 30 },
    )
  })

  test('are given once and in order through all pages, whatever order, filter and page size', async () => {
    const query = fc.record(
      {
        order: fc.constantFrom('asc' as const, 'desc' as const),
        limit: fc.constantFrom(3, 50, 500),
        side: fc.constantFrom('buy' as const, 'sell' as const),
        maker: fc.constantFrom(...MAKERS, addressOf(0xc)),
        fromBlock: fc.integer({ min: 95, max: 180 }),
        toBlock: fc.integer({ min: 95, max: 180 }),
      },
      { requiredKeys: ['order', 'limit'] },
    )
    await fc.assert(
      fc.asyncProperty(query, async chosen => {
        const listed = await readAll({ ...chosen, address: TOKEN })
        expect(listed.map(trade => trade.id)).toEqual(expectedIds({ ...chosen, address: TOKEN }))
      }),
      { numRuns: 60 },
    )
  })

  test('are an empty page for a token without trades and nothing for an unknown one', async () => {
    expect(await readTrades(kysely, { address: addressOf(3), order: 'desc', limit: 50 })).toEqual({ data: [], next: null, asOfBlock: null })
    expect(await readTrades(kysely, { address: addressOf(4), order: 'desc', limit: 50 })).toBeNull()
  })

  test('carry amounts in WETH, and USD of the moment of the trade', async () => {
    const token = addressOf(5)
    await insertRows(kysely, 'token', [tokenRow(5)])
    const known = {
      amount_quote: null,
      amount_wei: '1500000000000000001',
      fee_wei: '15000000000000000',
      price_weth: '0.00000000012300',
      price_after_weth: '0.000000000130',
      eth_usd: '3000.50',
      phase: 'pool',
    }
    const unknown = { amount_quote: '5', amount_wei: null, fee_wei: null, price_weth: null, eth_usd: '3000.50', phase: 'pool' }
    await insertRows(kysely, 'trade', [tradeRow(token, 9_000_000_000, 0, known), tradeRow(token, 9_000_000_000, 1, unknown)])
    const page = await readTrades(kysely, { address: token, order: 'asc', limit: 10 })
    expect(page?.data[0]).toEqual({
      id: '9000000000-0',
      token,
      pool: addressOf(0x9001),
      phase: 'pool',
      side: 'buy',
      maker: addressOf(0xa11ce),
      amountToken: '1000000000000000000',
      amountQuote: '1500000000000000001',
      amountWeth: '1.500000000000000001',
      priceWeth: '0.000000000123',
      priceAfterWeth: '0.00000000013',
      priceUsd: '0.0000003690615',
      valueUsd: '4500.750000000000003',
      feeWeth: '0.015',
      blockNumber: '9000000000',
      blockHash: wordOf(9_000_000_000),
      txHash: wordOf(9_000_000_000_000),
      txIndex: 0,
      logIndex: 0,
      timestamp: new Date((1_700_000_000 + 18_000_000_000) * 1000).toISOString(),
    })
    expect(page?.data[1]).toMatchObject({ amountWeth: null, priceWeth: null, priceUsd: null, valueUsd: null, feeWeth: null })
  })
})
