import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createLaunchpadChain } from '#benchmarks/chain/launchpadChain.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { commitBlocks, indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'

/*
 * PostgreSQL planned the reads of a live block anew in every block: it knew the length of each list of tokens, and a plan for one token
 * always seemed cheaper than the generic one, which expects ten. Of a block with one trade, planning took more time than the rest.
 */

/** PostgreSQL plans a prepared statement this many times before it compares these plans with a generic one. */
const PLANNED_AT_FIRST = 5
const TOKENS = 40

const database = await useDatabase()
const chain = createLaunchpadChain({ tokens: TOKENS, trades: 4 * TOKENS, blocks: 4 })
// One connection has the plans of all statements.
const orm = openOrm(database.url, { poolSize: 1 })
await indexAtOnce({ orm }, chain, chain.head().header.number)
const index = await openIndex({ orm }, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 16, revaluedPerBlock: 100 })

test('the statements of live blocks are not planned anew in every block', async () => {
  for (const changed of [1, 1, 1, 1, 1, 1, 1, TOKENS, 1, 3, 1, TOKENS])
    await commitBlocks(index, chain.mine(Array.from({ length: changed }, (_, token) => token)))
  const { rows } = await sql<{ statement: string; plans: number }>`
    select substr(regexp_replace(statement, '\\s+', ' ', 'g'), 1, 200) as statement, custom_plans::integer as plans from pg_prepared_statements
    where custom_plans > ${PLANNED_AT_FIRST}`.execute(orm.em.getKysely())
  expect(rows).toEqual([])
})
