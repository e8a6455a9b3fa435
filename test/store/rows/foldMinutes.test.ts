import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { BatchMode } from '#domain/block.ts'
import type { Decimal } from '#domain/decimal.ts'
import { foldCandles } from '#index/project/project.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { readCandleSeries } from '#store/reads/candleSeries.ts'
import { readCandles } from '#store/reads/candles.ts'
import { readDayTotals } from '#store/reads/marketData.ts'
import { deferLongerCandles, foldAllMinutes, foldMinutes, isOfMinute, longerCandlesOf, WHOLE_CANDLES } from '#store/rows/foldMinutes.ts'
import { insertRows, runStatements } from '#store/rows/insertRows.ts'
import { CANDLE } from '#tables/candle.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows as insertTestRows, poolRow, tokenRow, wordOf } from '#test/support/rows.ts'

const [atOnce, later] = [await useDatabase(), await useDatabase()]
const TOKEN = addressOf(1)
const TOKENS = [TOKEN, addressOf(2)]
const DAY = 1_780_012_800
const CURRENCIES = ['weth', 'usd', 'quote'] as const
const INTERVALS = ['1m', '5m', '30m', '1d', '1w'] as const

test('readers see the same candles, whether longer ones are written at once or folded later', { timeout: 120_000 }, async () => {
  // Without a price in WETH or in USD, it has one in the quote currency. `after`: seconds after the move before it.
  const move = fc.record({
    token: fc.constantFrom(...TOKENS),
    after: fc.oneof(fc.nat(90), fc.nat(4_000), fc.nat(30_000)),
    price: fc.bigInt(1n, 50n),
    isInWeth: fc.boolean(),
    isInUsd: fc.boolean(),
  })
  const block = fc.record({
    moves: fc.array(move, { minLength: 1, maxLength: 4 }),
    isRange: fc.constantFrom(true, false, false, false),
    isFolded: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.nat(90), fc.array(block, { minLength: 1, maxLength: 8 }), async (minute, blocks) => {
      await clear()
      await sql`update chain_state set unfolded_from = ${DAY + minute * 60}`.execute(later.kysely)
      let now = DAY
      for (const { moves, isRange, isFolded } of blocks) {
        const candles = candlesOf(
          moves.map(({ after, ...rest }) => {
            now += after
            return { ...rest, at: now }
          }),
        )
        await createTransaction(atOnce.orm)(db => runStatements(db, insertRows(CANDLE, candles, CANDLE.merge)))
        await createTransaction(later.orm)(async db => {
          const { rows } = await sql<{ from: number | null }>`select unfolded_from as "from" from chain_state`.execute(db)
          const longer = longerCandlesOf(candles, isRange ? 'range' : 'live', rows[0]?.from ?? null)
          if (longer === 'foldFirst') await runStatements(db, foldAllMinutes())
          await runStatements(db, insertRows(CANDLE, longer === 'later' ? candles.filter(isOfMinute) : candles, CANDLE.merge))
          if (rows[0]?.from === null && !isRange) await runStatements(db, [deferLongerCandles()])
        })
        for (const { kysely } of [atOnce, later]) await sql`update chain_state set cursor_timestamp = ${now}`.execute(kysely)
        if (isFolded) await createTransaction(later.orm)(foldMinutes)
      }
      expect(await readAll(later.kysely)).toEqual(await readAll(atOnce.kysely))
    }),
    { numRuns: 5 },
  )
})

test('candles of a minute are folded by the hour, once each', async () => {
  await clear()
  const { kysely, orm } = later
  const minutes = Array.from({ length: 200 }, (_, minute) => ({
    at: DAY + minute * 60,
    token: addressOf(1),
    price: 2n,
    isInWeth: true,
    isInUsd: true,
  }))
  await createTransaction(orm)(db => runStatements(db, insertRows(CANDLE, candlesOf(minutes).filter(isOfMinute))))
  await sql`update chain_state set unfolded_from = ${DAY}, cursor_timestamp = ${DAY + 199 * 60}`.execute(kysely)
  const trades = async () => {
    const { rows } = await sql<{ seconds: number; trades: number }>`
      select interval_seconds as seconds, sum(trades)::integer as trades from candle group by 1 order by 1`.execute(kysely)
    return Object.fromEntries(rows.map(row => [row.seconds, row.trades]))
  }
  const folded = { 60: 200, 300: 180, 900: 180, 3_600: 180, 14_400: 180, 86_400: 180 }
  const ofDay = [{ token: TOKEN, volume: { token: '0.000000000000001', quote: '0.0006' } }]
  expect(await readDayTotals(kysely, TOKENS)).toMatchObject(ofDay)
  for (let call = 0; call < 2; call++) {
    expect(await createTransaction(orm)(foldMinutes)).toBe(false)
    expect(await trades()).toEqual(folded)
    expect(await readDayTotals(kysely, TOKENS)).toMatchObject(ofDay)
  }
})

test('a live block folds nothing unless it has candles on both sides of the first unfolded minute', () => {
  const longer = (mode: BatchMode, from: number | null, ...seconds: readonly number[]) => {
    const moves = seconds.map(second => ({ at: DAY + second, token: TOKEN, price: 2n, isInWeth: true, isInUsd: true }))
    return longerCandlesOf(candlesOf(moves), mode, from)
  }
  expect(longer('live', null, 60)).toBe('now')
  expect(longer('live', DAY + 60, 60, 120)).toBe('later')
  expect(longer('live', DAY + 60, 0, 59)).toBe('now')
  expect(longer('live', DAY + 60, 59, 60)).toBe('foldFirst')
  expect(longer('range', DAY + 60, 60)).toBe('foldFirst')
})

interface Moved {
  readonly token: Address
  readonly at: number
  readonly price: bigint
  readonly isInWeth: boolean
  readonly isInUsd: boolean
}

function candlesOf(moves: readonly Moved[]) {
  const byToken = Map.groupBy(moves, ({ token }) => token)
  return [...byToken].flatMap(([token, ofToken]) =>
    foldCandles(
      ofToken.map(({ at, price, isInWeth, isInUsd }) => {
        const moved = { before: null, after: price as Decimal }
        return {
          token,
          timestamp: at,
          weth: isInWeth ? moved : null,
          quote: moved,
          usd: isInWeth && isInUsd ? moved : null,
          ethUsd: isInUsd ? (3n as Decimal) : null,
          quoteUsd: null,
          trades: 1,
          volumeToken: 5n,
          volumeWei: 7n,
          volumeQuote: 3n,
        }
      }),
    ),
  )
}

/** Everything that readers see of candles. */
async function readAll(db: Queryable) {
  const { rows } = await sql`select * from ${sql.raw(WHOLE_CANDLES)} as candle order by token, interval_seconds, time`.execute(db)
  const pages: unknown[] = [rows, await readDayTotals(db, TOKENS)]
  for (const interval of INTERVALS) {
    for (const currency of CURRENCIES) {
      const query = { interval, currency, of: 'price' } as const
      pages.push(await readCandleSeries(db, { ...query, tokens: TOKENS, limit: 3 }))
      for (const fill of [false, true]) {
        const range = { from: DAY + 3_000, to: DAY + 60_000, limit: 20, fill }
        pages.push(await readCandles(db, { ...query, address: TOKEN, ...range }))
      }
    }
  }
  return pages
}

async function clear(): Promise<void> {
  for (const { clear: clearTables, kysely } of [atOnce, later]) {
    await clearTables()
    await insertTestRows(kysely, 'chain_state', [chainStateRow({ cursor_timestamp: DAY })])
    await insertTestRows(
      kysely,
      'token',
      [1, 2].map(token => ({ ...tokenRow(token), main_pool: wordOf(token) })),
    )
    await insertTestRows(
      kysely,
      'pool',
      [1, 2].map(token => poolRow(token, token, { address: wordOf(token), quote_token: addressOf(0xd0) })),
    )
    await insertTestRows(kysely, 'currency', [{ address: addressOf(0xd0), symbol: 'USDX', decimals: 6, is_read: true }])
  }
}
