import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import { type LastTrade, loadAging, loadLeavingLastTrades } from '#store/rows/loadRows.ts'
import { toBytes } from '#tables/columns.ts'
import type { TokenRow } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { measuredPlansOf, rowsRead } from '#test/support/explain.ts'
import { insertManyTrades } from '#test/support/manyTrades.ts'
import { addressOf } from '#test/support/rows.ts'

const { kysely } = await useDatabase()

const TOKENS = 1_000
const BUSY_MAKER = 7
/** When the windows ended at the last commit, and when they end now, in Unix seconds. */
const [WAS, NOW] = [28_000, 33_000]

/** The same as `loadLeavingLastTrades`, of all last trades of these tokens. */
async function leavingLastTrades(tokens: readonly Address[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<LastTrade>`
    select distinct on (token, maker, side) token, side, maker, timestamp from trade where token = any(${tokens.map(toBytes)}::bytea[])
    order by token, maker, side, block_number desc`.execute(kysely)
  const hasLeft = (timestamp: number) =>
    Object.values(WINDOW_SECONDS).some(seconds => timestamp > WAS - seconds && timestamp <= NOW - seconds)
  return new Set(rows.filter(({ timestamp }) => hasLeft(timestamp)).map(textOf))
}

const textOf = ({ token, side, maker, timestamp }: LastTrade) => `${token} ${side} ${maker} ${timestamp}`

test('of the trades that have left a window, the last ones of their makers are found by balances of the token only', async () => {
  await insertManyTrades(kysely, { count: WAS, after: 0, token: `1 + g % ${TOKENS}`, maker: '100000 + g' })
  await insertManyTrades(kysely, { count: 10_000, after: 50_000, token: `1 + g % ${TOKENS - 1}`, maker: `${BUSY_MAKER}` })
  await sql`
    insert into balance (token, holder, balance, type, last_changed_block, buys, sells, first_trade_at, last_buy_at, last_sell_at)
    select token, maker, 1, 'wallet', 1, 1, 1, min(timestamp), max(timestamp) filter (where side = 'buy'), max(timestamp) filter (where side = 'sell')
    from trade group by token, maker`.execute(kysely)
  await sql`vacuum analyze trade, balance`.execute(kysely)
  const tokens = [1, TOKENS].map(number => ({ address: addressOf(number), windowsAt: WAS, createdAt: 1, windowsExpireAt: 1 }) as TokenRow)
  const expected = await leavingLastTrades(tokens.map(({ address }) => address))
  expect(expected.size).toBe(20)
  for (const before of [null, 2_000_000]) {
    const at = { before, now: NOW }
    const found = await loadLeavingLastTrades(kysely, tokens, at)
    expect(new Set(found.map(textOf))).toEqual(expected)
    const plans = await measuredPlansOf(kysely, db => loadLeavingLastTrades(db, tokens, at))
    const nodes = plans.flat().filter(node => node['Relation Name'] !== undefined)
    expect(new Set(nodes.map(node => node['Index Name']))).toEqual(new Set(['trade_by_token_time', 'balance_pkey']))
    expect(nodes.filter(node => (node['Rows Removed by Filter'] ?? 0) > 1)).toEqual([])
  }
})

test('the trades that have left a window are found without the other trades of a token that had none at the last analyze', async () => {
  const { kysely } = await useDatabase()
  await sql`alter table trade set (autovacuum_enabled = false)`.execute(kysely)
  await insertManyTrades(kysely, { count: 40_000, after: 0, token: '10 + g', maker: '100000 + g' })
  await insertManyTrades(kysely, { count: 5_000, after: 50_000, token: '2', maker: 'case when g % 2 = 0 then 3 else g end' })
  await sql`vacuum analyze trade`.execute(kysely)
  await insertManyTrades(kysely, { count: 3_000, after: 60_000, token: '1', maker: '200000 + g' })
  const later = 5_000_000
  const row = { address: addressOf(1), windowsAt: later, createdAt: 1, windowsExpireAt: 1 } as TokenRow
  const at = { before: null, now: later + 1 }
  const plans = [
    ...(await measuredPlansOf(kysely, db => loadAging(db, [row], at))),
    ...(await measuredPlansOf(kysely, db => loadLeavingLastTrades(db, [row], at))),
  ]
  const reads = plans.map(nodes => nodes.reduce((sum, node) => (node['Relation Name'] === 'trade' ? sum + rowsRead(node) : sum), 0))
  expect(Math.max(...reads)).toBeLessThan(10)
})
