import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'

const NAME = 'Migration0017OnePrice'

/** Makes of the newest schema the one before the migration, with candles and highest prices of something else. */
async function undoMigration(db: Queryable): Promise<void> {
  for (const statement of [
    `alter table pool rename column price to price_weth`,
    `alter table pool add column quote_decimals smallint not null default 18`,
    `alter table trade drop column amount_quote, drop column fee_quote`,
    `alter table token drop column price_quote, drop column quote_rate, drop column last_price_at, drop column close_usd`,
    `update token set ath_price_weth = ath_price_weth * 3 where trade_count > 0`,
    `update token set liquidity_weth = 1`,
    `delete from candle where interval_seconds > 60`,
    `update candle set open = 1, high = 1, low = 1, close = 1, trades = 7`,
    `alter table candle drop column in_usd, drop column open_quote, drop column high_quote, drop column low_quote, drop column close_quote,
      drop column volume_quote, alter column open set not null, alter column high set not null, alter column low set not null,
      alter column close set not null, alter column volume_wei set not null,
      add column in_usd boolean not null generated always as (close_usd is not null) stored`,
    `create index candle_by_time on candle (token, interval_seconds, in_usd, time)`,
    `delete from mikro_orm_migrations where name = '${NAME}'`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}

type Tables = Awaited<ReturnType<typeof dumpTables>>
type StoredRow = Readonly<Record<string, unknown>>

/** Trades in other currencies had no value in WETH before the migration, and what they were in the currency was not stored. */
function withoutOtherCurrencies(tables: Tables): Tables {
  const others = new Set<unknown>()
  for (const { token, quote_token } of tables['pool'] as readonly StoredRow[]) {
    if (String(quote_token).replace('\\x', '0x') !== WETH) others.add(token)
  }
  const kept = Object.entries(tables).map(([name, rows]) => [
    name,
    (rows as readonly StoredRow[]).filter(row => !others.has(name === 'token' ? row['address'] : row['token'])),
  ])
  return Object.fromEntries(kept) as Tables
}

/** What ETH cost at a graduation is not stored, so that its move is in no candle in USD. */
function comparable(tables: Tables) {
  const { candle = [], token = [], ...others } = withoutOtherCurrencies(tables)
  const v4 = new Set((tables['pool'] as readonly StoredRow[]).filter(({ type }) => type === 'uniswap-v4').map(({ address }) => address))
  // A later migration forgets what this one estimates of Uniswap v4 pools.
  const tokens = (token as readonly StoredRow[]).map(row => (v4.has(row['main_pool']) ? { ...row, liquidity_weth: null } : row))
  const graduated = new Set(tokens.filter(row => row['migrated_at'] !== null).map(row => row['address']))
  // A later migration adds the volume in tokens.
  const isCompared = (name: string, row: StoredRow) => name !== 'volume_token' && !(graduated.has(row['token']) && name.endsWith('_usd'))
  const candles = (candle as readonly StoredRow[]).map(row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => isCompared(name, row))),
  )
  return { ...others, token: tokens.map(row => (row['migrated_at'] === null ? row : { ...row, close_usd: null })), candle: candles }
}

test('makes of stored trades the candles that indexing them makes', async () => {
  const database = await useDatabase()
  const { kysely } = database
  const { chain, mine } = createForkingChain(createRandom(17), 0)
  mine(160)
  let ethUsd: string | null = null
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0, ethUsd: () => ethUsd })
  for (let number = 1; number <= 160; number += 1) {
    // Without more digits than prices have, which the migration does not round.
    ethUsd = number % 7 < 3 || number < 30 ? null : number < 90 ? '1' : '10'
    await commitBlocks(index, chain.at(number))
  }
  const indexed = comparable(await dumpTables(kysely))
  const moves = (indexed['candle'] ?? []) as readonly unknown[] as readonly { readonly trades: number }[]
  expect(moves.length).toBeGreaterThan(100)
  expect(moves.some(({ trades }) => trades === 0)).toBe(true)
  expect(JSON.stringify(indexed)).toMatch(/"close_usd":\d/)

  await undoMigration(kysely)
  expect(await migrate(database.url, silentLogger)).toEqual([NAME])
  expect(comparable(await dumpTables(kysely))).toEqual(indexed)
  const { rows } = await sql<{ stored: string; counted: string }>`
    select liquidity_weth::text as stored, (select sum(liquidity_weth)::text from token) as counted from index_totals`.execute(kysely)
  expect(rows[0]?.stored).toBe(rows[0]?.counted)
})
