import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { withSchema } from '#domain/databaseUrl.ts'
import { hasCode } from '#errors'
import { createTransaction } from '#store/connection/transaction.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { createReads } from '#store/reads/reads.ts'
import { installViews, moveViews, readViewedSchema } from '#store/views/installViews.ts'
import { addMigration } from '#test/support/addMigration.ts'
import { administer, openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf } from '#test/support/rows.ts'
import { insertExportedRows } from './exportedRows.ts'

const database = await useDatabase()
const role = `reader_${new URL(database.url).pathname.slice(-8)}`
const plain = new URL(database.url)
plain.searchParams.delete('options')
const PASSWORD = 'of-a-reader'

beforeAll(async () => {
  await insertExportedRows(database.kysely)
  await installViews(database.url, role, silentLogger)
  await sql`alter role ${sql.id(role)} password ${sql.lit(PASSWORD)}`.execute(database.kysely)
})
afterAll(async () => {
  await sql`drop owned by ${sql.id(role)}`.execute(database.kysely)
  await administer(sql`drop role ${sql.id(role)}`)
})

/** As the reader connects, with a plain client's address. */
function reader() {
  const url = new URL(plain)
  url.username = role
  url.password = PASSWORD
  return openOrm(url.href, { poolSize: 1 }).em.getKysely<unknown>()
}

test('the reader may read the views, and nothing else', async () => {
  const db = reader()
  const { rows } = await sql`select tokenwire.views_version() as version, block_number::integer from tokenwire.indexed`.execute(db)
  expect(rows).toEqual([{ version: 1, block_number: 456 }])
  await expect(sql`select * from public.trade`.execute(db)).rejects.toThrow(/permission denied/)
  await expect(sql`create table tokenwire.mine (a integer)`.execute(db)).rejects.toThrow(/permission denied|read-only/)
  const { rows: limits } = await sql<{ rolconnlimit: number; rolconfig: readonly string[] }>`
    select rolconnlimit, rolconfig from pg_roles where rolname = ${role}`.execute(database.kysely)
  expect(limits[0]?.rolconnlimit).toBe(5)
  expect(limits[0]?.rolconfig).toEqual(expect.arrayContaining(['statement_timeout=60s', 'search_path=tokenwire']))
})

test('a view shows what REST shows, and finds addresses as bytes', async () => {
  const { rows } = await sql`
    select token, amount_weth::text as "amountWeth", price_usd::text as "priceUsd", block_number::text as "blockNumber" from tokenwire.trades
    where token_bytes = tokenwire.bytes(${addressOf(2)}) order by block_number, log_index`.execute(reader())
  const reads = createReads({ db: database.kysely, chainId: 31_337, weth: addressOf(0x3e7), claimCall: () => null })
  const page = await reads.trades({ address: addressOf(2), order: 'asc', sort: 'time', limit: 10 })
  expect(rows).toEqual(page?.data.map(({ token, amountWeth, priceUsd, blockNumber }) => ({ token, amountWeth, priceUsd, blockNumber })))
})

test('every view and column has a comment', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname || coalesce('.' || attname, '') as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    left join pg_attribute on attrelid = pg_class.oid and attnum > 0 and relname <> 'indexed'
    where nspname = 'tokenwire' and relkind = 'v' and coalesce(col_description(pg_class.oid, coalesce(attnum, 0)), obj_description(pg_class.oid)) is null
    `.execute(database.kysely)
  expect(rows).toEqual([])
})

test('every recipe of the guide runs as the reader', async () => {
  const guide = await readFile('docs/guides/sql.md', 'utf8')
  const recipes = [...guide.matchAll(/```sql\n([^`]+)```/g)].map(([, recipe = '']) => recipe)
  const db = reader()
  await sql`set search_path = tokenwire`.execute(db)
  const counts: number[] = []
  for (const recipe of recipes) counts.push((await sql.raw(recipe).execute(db)).rows.length)
  expect(counts).toEqual([5, 1, 2, 4, 2])
})

test('they follow a switch to another schema with the rights of their readers, also where other views depend on them', async () => {
  await migrate(withSchema(plain.href, 'next'), silentLogger)
  const next = openOrm(withSchema(plain.href, 'next'), { poolSize: 1 })
  expect(await readViewedSchema(database.kysely)).toBe('public')
  await createTransaction(next)(db => moveViews(db))
  expect(await readViewedSchema(database.kysely)).toBe('next')
  expect((await sql`select * from tokenwire.trades`.execute(reader())).rows).toEqual([])
  await sql`create view public.mine as select token from tokenwire.trades`.execute(database.kysely)
  await createTransaction(database.orm)(db => moveViews(db))
  expect((await sql`select * from tokenwire.trades`.execute(reader())).rows).toHaveLength(16)
})

test('a migration drops them before it runs, and makes them anew', async () => {
  const older = await useDatabase()
  await sql`create schema tokenwire`.execute(older.kysely)
  await sql`create view tokenwire.trades as select * from trade`.execute(older.kysely)
  await sql`grant usage on schema tokenwire to ${sql.id(role)}`.execute(older.kysely)
  onTestFinished(addMigration(['alter table trade alter column log_index type bigint']))
  expect(await migrate(older.url, silentLogger)).toEqual(['Migration9999Next'])
  const { rows } = await sql`select has_table_privilege(${role}, 'tokenwire.traders', 'select') as may`.execute(older.kysely)
  expect(rows).toEqual([{ may: true }])
  await sql`drop owned by ${sql.id(role)}`.execute(older.kysely)
})

test('says which statement helps where the role may not create roles', async () => {
  const owner = `owner_${role}`
  await sql`create role ${sql.id(owner)} login password ${sql.lit(PASSWORD)}`.execute(database.kysely)
  await sql`grant usage on schema public to ${sql.id(owner)}; grant select on all tables in schema public to ${sql.id(owner)}`.execute(
    database.kysely,
  )
  const url = new URL(database.url)
  url.username = owner
  url.password = PASSWORD
  const refused = installViews(url.href, 'nobody_yet', silentLogger)
  await expect(refused).rejects.toSatisfy(error => hasCode(error, 'config_invalid'))
  await expect(refused).rejects.toThrow(`create role nobody_yet login`)
  await sql`drop owned by ${sql.id(owner)}; drop role ${sql.id(owner)}`.execute(database.kysely)
})

// It was told that the database denies a right, and given no statement.
test('leaves the limits of another one’s role to its owner, and says which statements they are', async () => {
  const [owner, theirs] = [`Owner ${role}`, `theirs_${role}`]
  await sql`create role ${sql.id(owner)} login createrole password ${sql.lit(PASSWORD)}; create role ${sql.id(theirs)}`.execute(
    database.kysely,
  )
  await sql`grant ${sql.id(plain.username)} to ${sql.id(owner)} with inherit false`.execute(database.kysely)
  await sql`grant usage on schema public to ${sql.id(owner)}; grant select on all tables in schema public to ${sql.id(owner)}`.execute(
    database.kysely,
  )
  const url = new URL(database.url)
  url.username = owner
  url.password = PASSWORD
  const { missingLimits } = await installViews(url.href, theirs, silentLogger)
  expect(missingLimits).toContain(`alter role "${theirs}" set statement_timeout = '60s'`)
  for (const one of [owner, theirs]) await sql`drop owned by ${sql.id(one)}; drop role ${sql.id(one)}`.execute(database.kysely)
})

// They got the right to read each table of the index.
test('a reader may read the views alone, also where the index is in their schema', async () => {
  const both = await useDatabase({ migrated: false })
  const url = withSchema(both.url, 'tokenwire')
  await migrate(url, silentLogger)
  await installViews(url, role, silentLogger)
  const { rows } = await sql`select has_table_privilege(${role}, 'tokenwire.trade', 'select') as table,
    has_table_privilege(${role}, 'tokenwire.trades', 'select') as view`.execute(both.kysely)
  expect(rows).toEqual([{ table: false, view: true }])
  await sql`drop owned by ${sql.id(role)}`.execute(both.kysely)
})
