import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { createReads } from '#store/reads/reads.ts'
import { administer, openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { addressOf } from '#test/support/rows.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'

/*
 * Servers, databases and roles are set in many ways. With `bytea_output = escape` a chain's first block was said to be another one, and
 * REST answered with addresses such as `0x41\306`; with a `search_path` of their own, roles found no tables.
 */

/** What changes answers where a session does not set it. */
const FOREIGN: Readonly<Record<string, string>> = {
  bytea_output: 'escape',
  search_path: 'nowhere',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  extra_float_digits: '-15',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Pacific/Chatham',
  default_transaction_isolation: 'serializable',
  gin_fuzzy_search_limit: '1',
  row_security: 'on',
  statement_timeout: '90s',
  lock_timeout: '90s',
  idle_session_timeout: '90s',
  idle_in_transaction_session_timeout: '90s',
  transaction_timeout: '90s',
  synchronous_commit: 'off',
  plan_cache_mode: 'force_custom_plan',
  jit: 'on',
  random_page_cost: '4',
  default_text_search_config: 'english',
}
const HEAD = 20

async function setForeign({ url }: TestDatabase): Promise<readonly string[]> {
  // Before the first connection of the pool: `alter database` counts for new sessions.
  const { rows } = await sql<{ name: string }>`select name from unnest(${Object.keys(FOREIGN)}::text[]) as name
    where current_setting(name, true) is not null`.execute(openOrm(url).em.getKysely())
  const database = sql.id(new URL(url).pathname.slice(1))
  for (const { name } of rows) await administer(sql`alter database ${database} set ${sql.id(name)} = ${sql.lit(FOREIGN[name])}`)
  return rows.map(({ name }) => name)
}

test('an index has the same rows and answers whatever its database is set to', async () => {
  const [plain, foreign] = [await useDatabase({ migrated: false }), await useDatabase({ migrated: false })]
  await setForeign(foreign)
  const expected = await contentOf(plain)
  expect(await contentOf(foreign)).toEqual(expected)
})

test('what a session relies on stays when the configuration of the server changes', async () => {
  const database = await useDatabase()
  const names = await setForeign(database)
  const asked = sql<{ name: string; setting: string; source: string }>`select name, setting, source from pg_settings
    where name = any(${names.filter(name => name !== 'default_text_search_config')}::text[])`
  const { rows } = await asked.execute(openOrm(database.url).em.getKysely())
  expect(rows.length).toBe(names.length - 1)
  // A reload changes what comes from files; what a session has set stays.
  expect(rows.filter(({ source }) => source !== 'session')).toEqual([])
  expect(rows.filter(({ name, setting }) => setting === FOREIGN[name])).toEqual([])
})

test('bytes that are not written in hex are an error, never an answer', async () => {
  const { kysely } = await useDatabase()
  await kysely.connection().execute(async session => {
    await sql`select set_config('bytea_output', 'escape', false)`.execute(session)
    await expect(sql`select 'A\\306\\007K'::bytea as address`.execute(session)).rejects.toThrow('not written in hex')
  })
})

/** The rows and some answers of an index that followed a chain. */
async function contentOf(database: TestDatabase): Promise<unknown> {
  await migrate(database.url, silentLogger)
  const forking = createForkingChain(createRandom(7), 64)
  forking.mine(HEAD)
  const index = await openIndex(database, { genesisHash: forking.chain.at(0).header.hash, maxReorgDepth: 8 })
  for (let number = 1; number <= HEAD; number++) await commitBlocks(index, forking.chain.at(number))
  const reads = createReads({ db: database.kysely, chainId: 1, weth: addressOf(0x3e7), claimCall: () => null })
  const { data } = await reads.tokens({ sort: 'createdAt', order: 'desc', limit: 50 })
  expect(data.length).toBeGreaterThan(2)
  const ofToken = data.map(async ({ address, name }) => ({
    found: (await reads.search({ q: name ?? '', limit: 10 })).data.map(token => token.address),
    holders: await reads.holders({ address: address, excludeType: [], limit: 10 }),
    trades: await reads.trades({ address: address, order: 'desc', limit: 10 }),
  }))
  return { tables: await dumpTables(database.kysely), each: await Promise.all(ofToken) }
}
