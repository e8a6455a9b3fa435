import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Decimal } from '#domain/decimal.ts'
import { foldCandles } from '#index/project/candles.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { insertCandles } from '#store/rows/insertCandles.ts'
import { insertRows, runStatements, type Statements } from '#store/rows/insertRows.ts'
import { CANDLE, type CandleRow } from '#tables/candle.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf } from '#test/support/rows.ts'

const { kysely, orm } = await useDatabase()

const candlesOf = (token: number, ...moves: readonly (readonly [timestamp: number, price: bigint])[]) =>
  foldCandles(
    moves.map(([timestamp, price]) => ({
      token: addressOf(token),
      timestamp,
      weth: { before: null, after: price as Decimal },
      quote: null,
      usd: null,
      ethUsd: null,
      quoteUsd: null,
      trades: 1,
      volumeToken: 5n,
      volumeWei: 7n,
      volumeQuote: 0n,
    })),
  )

const DAY = 1_780_012_800
const BLOCKS: readonly (readonly CandleRow[])[] = [
  [...candlesOf(1, [DAY + 70, 5n]), ...candlesOf(2, [DAY + 70, 6n])],
  // In the same minute, in the same hour, and in none before.
  [...candlesOf(1, [DAY + 80, 9n]), ...candlesOf(2, [DAY + 1_000, 2n]), ...candlesOf(3, [DAY + 90_000, 1n])],
  // Blocks that are committed together.
  [...candlesOf(1, [DAY + 80_000, 4n], [DAY + 90_000, 3n]), ...candlesOf(2, [DAY + 90_000, 8n])],
  candlesOf(2, [DAY + 90_100, 7n]),
]

const keyOf = ({ token, intervalSeconds, time }: CandleRow) => `${token} ${intervalSeconds} ${time}`

/** Writes the blocks one after the other. @returns the rows, and how many bytes of parameters each block had */
async function write(insert: (candles: { readonly added: readonly CandleRow[]; readonly merged: readonly CandleRow[] }) => Statements) {
  const stored = new Set<string>()
  const bytes: number[] = []
  for (const candles of BLOCKS) {
    const isStored = (candle: CandleRow) => stored.has(keyOf(candle))
    const split = { added: candles.filter(candle => !isStored(candle)), merged: candles.filter(isStored) }
    const parameters = [...insert(split)].flatMap(statement => statement.compile(kysely).parameters)
    bytes.push(parameters.reduce<number>((sum, parameter) => sum + (parameter as Buffer).length, 0))
    await createTransaction(orm)(db => runStatements(db, insert(split)))
    for (const candle of candles) stored.add(keyOf(candle))
  }
  const { rows } = await sql`select * from candle order by token, interval_seconds, time`.execute(kysely)
  await sql`truncate candle`.execute(kysely)
  return { rows, bytes }
}

test('candles of a block are sent once for all intervals, and stored as if each was sent', async () => {
  const each = await write(function* ({ added, merged }) {
    yield* insertRows(CANDLE, added)
    yield* insertRows(CANDLE, merged, CANDLE.merge)
  })
  const once = await write(insertCandles)
  expect(once.rows).toEqual(each.rows)
  expect(each.rows.length).toBeGreaterThan(20)
  expect(once.bytes.map((bytes, block) => bytes < (each.bytes[block] ?? 0))).toEqual([true, true, false, true])
})
