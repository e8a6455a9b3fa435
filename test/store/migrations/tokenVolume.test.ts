import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'

const NAME = 'Migration0024TokenVolume'

test('gives the candles of yesterday and today the volume in tokens that indexing gives them', async () => {
  const database = await useDatabase()
  const { kysely } = database
  const { chain, mine } = createForkingChain(createRandom(24), 0)
  mine(120, 3)
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0 })
  for (let number = 1; number <= 120; number += 1) await commitBlocks(index, chain.at(number))
  const indexed = await dumpTables(kysely)
  const { rows } = await sql<{ known: number }>`select count(*)::integer as known from candle where volume_token > 0`.execute(kysely)
  expect(rows[0]?.known).toBeGreaterThan(10)

  await sql`alter table candle drop column volume_token`.execute(kysely)
  await sql`create index candle_by_time on candle (token, interval_seconds, in_usd, time)`.execute(kysely)
  await sql`delete from mikro_orm_migrations where name = ${NAME}`.execute(kysely)
  expect(await migrate(database.url, silentLogger)).toEqual([NAME])
  // Those without trades have none.
  await sql`update candle set volume_token = 0 where trades = 0`.execute(kysely)
  expect(await dumpTables(kysely)).toEqual(indexed)
})
