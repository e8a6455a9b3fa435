import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'

const NAMES = ['Migration0020Wallets', 'Migration0042LastTrades']
const ADDED = ['bought_token', 'sold_token', 'bought_wei', 'bought_usd', 'sold_wei', 'sold_usd', 'buys', 'sells', 'cost_wei', 'cost_usd']

/** Makes of the newest schema the one before the migrations. */
async function undoMigration(db: Queryable): Promise<void> {
  const dropped = [...ADDED, 'realized_wei', 'realized_usd', 'first_trade_at', 'last_buy_at', 'last_sell_at'].map(
    name => `drop column ${name}`,
  )
  for (const statement of [
    `drop index balance_by_holder`,
    `alter table balance ${dropped.join(', ')}`,
    `drop table trader`,
    `create table trader (maker bytea primary key, last_trade_at bigint not null)`,
    `insert into trader select maker, max(timestamp) from trade group by maker`,
    `create index trader_by_last_trade_at on trader (last_trade_at)`,
    `delete from mikro_orm_migrations where name in ('${NAMES.join(`', '`)}')`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}

type StoredRow = Readonly<Record<string, unknown>>

/** With `null` for what stored trades do not tell. */
function knownFromTrades({ balance = [], trader = [], ...others }: Awaited<ReturnType<typeof dumpTables>>) {
  const balances = (balance as readonly StoredRow[]).map((row): StoredRow => {
    const [cost, realized] = [row['balance'] === 0 ? 0 : null, row['sells'] === 0 ? 0 : null]
    return { ...row, cost_wei: cost, cost_usd: cost, realized_wei: realized, realized_usd: realized }
  })
  const unknown = (maker: unknown) => balances.filter(row => row['holder'] === maker && row['sells'] !== 0).length
  const traders = (trader as readonly StoredRow[]).map(row => ({
    ...row,
    realized_wei: 0,
    realized_usd: 0,
    tokens_without_wei: unknown(row['maker']),
    tokens_without_usd: unknown(row['maker']),
  }))
  return { ...others, balance: balances, trader: traders }
}

test('makes of stored trades what indexing them makes, and leaves unknown what transfers tell', async () => {
  const database = await useDatabase()
  const { kysely } = database
  const { chain, mine } = createForkingChain(createRandom(23), 0)
  mine(120)
  let ethUsd: string | null = null
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0, ethUsd: () => ethUsd })
  for (let number = 1; number <= 120; number += 1) {
    ethUsd = number < 30 ? null : number < 90 ? '2000.123456789' : '10'
    await commitBlocks(index, chain.at(number))
  }
  const indexed = await dumpTables(kysely)
  const kinds = [/"cost_wei":[1-9]/, /"realized_wei":-?[1-9]/, /"bought_usd":null/, /"sold_usd":[1-9]/]
  expect(kinds.filter(kind => !kind.test(JSON.stringify(indexed['balance'])))).toEqual([])
  await undoMigration(kysely)
  expect(await migrate(database.url, silentLogger)).toEqual(NAMES)
  expect(await dumpTables(kysely)).toEqual(knownFromTrades(indexed))
})
