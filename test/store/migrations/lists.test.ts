import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { commitBlocks, openIndex, settle } from '#test/support/simulatedIndex.ts'

const NAME = 'Migration0019Lists'
const WINDOWS = ['m5', 'h1', 'h6', 'h24']
const SORTS = ['volume_m5', 'volume_h1', 'price_change_m5']

test('counts of stored trades the buyers and sellers that indexing them counts', async () => {
  const database = await useDatabase()
  const { kysely } = database
  const { chain, mine } = createForkingChain(createRandom(19), 0)
  mine(90)
  // A busy end, so that every window holds several trades of some makers.
  mine(100, 3)
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0 })
  for (let number = 1; number <= 190; number += 1) await commitBlocks(index, chain.at(number))
  await settle(index, chain.at(190).header)
  const indexed = await dumpTables(kysely)
  const { rows: counted } = await sql<{ repeated: number; aged: number }>`
    select count(*) filter (where buys_m5 > buyers_m5 and buyers_m5 > 1)::integer as repeated,
      count(*) filter (where buyers_m5 < buyers_h24)::integer as aged from token`.execute(kysely)
  expect(counted[0]?.repeated).toBeGreaterThan(0)
  expect(counted[0]?.aged).toBeGreaterThan(0)

  for (const statement of [
    ...SORTS.map(name => `drop index token_by_${name}`),
    `drop index token_by_migrated_at`,
    `drop index token_by_creator`,
    `alter table token drop column trending, drop column trades_m5, drop column trades_h1`,
    `alter table token ${WINDOWS.map(name => `drop column buy_volume_${name}, drop column buyers_${name}, drop column sellers_${name}`).join(', ')}`,
    `create index token_by_creator on token (creator, launchpad, graduation_status, address)`,
    `delete from mikro_orm_migrations where name = '${NAME}'`,
  ]) {
    await sql.raw(statement).execute(kysely)
  }
  expect(await migrate(database.url, silentLogger)).toEqual([NAME])
  expect(await dumpTables(kysely)).toEqual(indexed)
})
