import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { undoBlocks } from '#store/rows/undo.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'

const NAME = 'Migration0022QuoteWorth'
const HEAD = 120
const DEPTH = 40

/** Makes of the newest schema the one before the migration, and of the images of tokens those of its columns. */
async function undoMigration(db: Queryable): Promise<void> {
  for (const statement of [
    `alter table token drop column quote_token, drop column quote_usd, drop column event_price_weth`,
    `alter table trade drop column price_usd, drop column value_usd`,
    `alter table block drop column revalued_to`,
    `update block_undo set image = (image::jsonb - array['quote_token', 'quote_usd', 'event_price_weth'])::json where table_name = 'token'`,
    `delete from mikro_orm_migrations where name = '${NAME}'`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}

test('gives stored tokens and their images what indexing them gives, so that blocks from before it are undone', async () => {
  const database = await useDatabase()
  const { kysely, orm } = database
  const { chain, mine } = createForkingChain(createRandom(31), DEPTH)
  mine(HEAD)
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: DEPTH })
  for (let number = 1; number <= HEAD - DEPTH; number += 1) await commitBlocks(index, chain.at(number))
  const before = await dumpTables(kysely)
  for (let number = HEAD - DEPTH + 1; number <= HEAD; number += 1) await commitBlocks(index, chain.at(number))
  const indexed = await dumpTables(kysely)
  // Tokens with a price in both kinds of currencies have images.
  const { rows: kinds } = await sql<{ other: boolean }>`select distinct image ->> 'quote_token' is not null as other from block_undo
    where table_name = 'token' and existed and image ->> 'price_weth' is not null order by other`.execute(kysely)
  expect(kinds).toEqual([{ other: false }, { other: true }])

  await undoMigration(kysely)
  expect(await migrate(database.url, silentLogger)).toEqual([NAME])
  expect(await dumpTables(kysely)).toEqual(indexed)
  await createTransaction(orm)(db => undoBlocks(db, HEAD - DEPTH, Date.now()))
  expect(await dumpTables(kysely)).toEqual(before)
})
