import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { loadLastTrades } from '#store/rows/windowRows.ts'
import type { TokenRow } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { measuredPlansOf } from '#test/support/explain.ts'

const { kysely } = await useDatabase()

const TOKENS = 1_000
const BUSY_MAKER = 7
const NOW = 5_000_000
const accountOf = (number: number): Address => `0x${number.toString(16).padStart(40, '0')}` as Address
const bytesOf = (number: string, length: number) => sql.raw(`decode(lpad(to_hex(${number}), ${length}, '0'), 'hex')`)

/** One trade in each block from `after` on. `token` and `maker` are SQL of the trade's number `g`. */
const insertTrades = ({ count, after, token, maker }: { count: number; after: number; token: string; maker: string }) =>
  sql`
  insert into trade (block_number, log_index, token, pool, phase, side, maker, amount_token, block_hash, tx_hash, timestamp)
  select ${after}::bigint + g, 0, ${bytesOf(token, 40)}, ${bytesOf('1', 40)}, 'pool', case when g % 2 = 0 then 'buy' else 'sell' end,
    ${bytesOf(maker, 40)}, 1, ${bytesOf('1', 64)}, ${bytesOf('1', 64)}, g
  from generate_series(1, ${count}::integer) as g`.execute(kysely)

test('the last trade of a maker is found without its trades in other tokens, with and without a batch under way', async () => {
  await insertTrades({ count: 40_000, after: 0, token: `1 + g % ${TOKENS}`, maker: '100000 + g' })
  await insertTrades({ count: 10_000, after: 50_000, token: `1 + g % ${TOKENS - 1}`, maker: `${BUSY_MAKER}` })
  await sql`vacuum analyze trade`.execute(kysely)
  const token = accountOf(TOKENS)
  const tokens = new Map([[token, { address: token, windowsAt: NOW, createdAt: 1 } as TokenRow]])
  const makers = (['buy', 'sell'] as const).map(side => ({ token, side, maker: accountOf(BUSY_MAKER) }))
  for (const before of [null, 2_000_000]) {
    const plans = await measuredPlansOf(kysely, db => loadLastTrades(db, tokens, makers, { before, now: NOW + 1 }))
    const indexes = plans.flat().flatMap(node => (node['Relation Name'] === 'trade' ? (node['Index Name'] ?? 'none') : []))
    expect(indexes).toContain('trade_by_maker')
    expect(indexes.filter(name => name !== 'trade_by_maker' && name !== 'trade_by_token_time')).toEqual([])
  }
})
