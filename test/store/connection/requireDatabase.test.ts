import { sql } from 'kysely'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { administer, openOrm, silentLogger, type TestDatabase, useDatabase } from '#test/support/database.ts'

/*
 * Databases as people have them: a role without rights, extensions in a schema of their own, tables in another schema than `public`. The
 * start ended with a stack trace or with "The database refuses the connection".
 */

interface Site {
  readonly database: TestDatabase
  /** The name of the database, and of a role that is no superuser. */
  readonly name: string
  /** Of that role. */
  readonly url: string
}

/** @param statements run as superuser in the database; `$me` stands for the role and for the database */
async function openSite(statements: readonly string[], { migrated = false } = {}): Promise<Site> {
  const database = await useDatabase({ migrated })
  const url = new URL(database.url)
  const name = url.pathname.slice(1)
  url.username = name
  url.password = 'plain'
  // The address of the tests' server sets the search_path, which is the subject here.
  url.search = ''
  await administer(sql`create role ${sql.id(name)} login password 'plain'`)
  onTestFinished(async () => {
    await sql`reassign owned by ${sql.id(name)} to current_user`.execute(database.kysely)
    await sql`drop owned by ${sql.id(name)}`.execute(database.kysely)
    await administer(sql`drop role ${sql.id(name)}`)
  })
  for (const statement of statements) await sql.raw(statement.replaceAll('$me', name)).execute(database.kysely)
  return { database, name, url: url.href }
}

async function schemasOfTables({ kysely }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select distinct schemaname as name from pg_tables
    where tablename in ('token', 'mikro_orm_migrations')`.execute(kysely)
  return rows.map(({ name }) => name)
}

const OWN = 'alter database $me owner to $me'

describe('an indexer', () => {
  test.each([
    ['the owner of the database', [OWN], 'public'],
    ['a role that may create tables', ['grant create on schema public to $me', 'create extension pg_trgm'], 'public'],
    ['a role with a schema of its own name', ['create schema authorization $me', 'grant create on database $me to $me'], '$me'],
    [
      'a role whose search_path names another schema',
      ['create schema "An app" authorization $me', 'alter role $me set search_path = "An app"', 'create extension pg_trgm'],
      'An app',
    ],
    [
      'an owner who finds extensions in a schema of their own',
      [OWN, 'create schema extensions', 'create extension pg_trgm schema extensions', 'grant usage on schema extensions to $me'],
      'public',
    ],
  ])('creates its tables as %s, and finds them again wherever the role looks later', async (_, statements, schema) => {
    const { url, name, database } = await openSite(statements)
    expect(await migrate(url, silentLogger)).not.toEqual([])
    expect(await schemasOfTables(database)).toEqual([schema.replace('$me', name)])
    await administer(sql`alter role ${sql.id(name)} set search_path = pg_catalog, nowhere`)
    expect(await migrate(url, silentLogger)).toEqual([])
    const answer = sql`select similarity('pepe', 'pepe') as alike from (select count(*) from token) as counted`
    expect((await answer.execute(openOrm(url).em.getKysely())).rows).toEqual([{ alike: 1 }])
  })

  test.each([
    [
      'no right',
      [],
      'create tables, nor create the extension pg_trgm',
      ['grant create on schema public to $me', 'create extension pg_trgm'],
    ],
    [
      'no right to the extension',
      [OWN, 'create schema "Ext"', 'create extension pg_trgm schema "Ext"'],
      'use the extension pg_trgm',
      ['grant usage on schema "Ext" to $me'],
    ],
    [
      'no right to use the schema',
      [
        'revoke usage on schema public from public',
        'create schema other',
        'create extension pg_trgm schema other',
        'grant usage on schema other to $me',
      ],
      'use schema public, nor create tables',
      ['grant usage on schema public to $me', 'grant create on schema public to $me'],
    ],
  ])('is told what gives its role what it lacks: %s', async (_, statements, what, remedies) => {
    const { url, name, database } = await openSite(statements)
    const helping = remedies.map(remedy => remedy.replaceAll('$me', name))
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      retryable: false,
      message: `DATABASE_URL: role ${name} may not ${what} in database ${name}; as the owner of the database or a superuser, run there: ${helping.join('; ')}`,
    })
    for (const statement of helping) await sql.raw(statement).execute(database.kysely)
    expect(await migrate(url, silentLogger)).not.toEqual([])
  })

  test('is told who owns the tables that it may not change', async () => {
    const { url, name } = await openSite([], { migrated: true })
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(
        `role ${name} may not change the tables in database ${name}; .*run there: grant tokenwire to ${name}$`,
      ),
    })
  })

  test('is told to create the schema where there is none', async () => {
    const { url, name } = await openSite(['drop schema public'])
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      message: `DATABASE_URL: there is no schema public in database ${name}: create schema public authorization ${name}`,
    })
  })

  test.each(['LATIN1', 'SQL_ASCII'])('is refused a database in %s', async encoding => {
    const { url } = await useDatabase({ migrated: false })
    const other = new URL(url)
    other.pathname += '_other'
    const name = sql.id(other.pathname.slice(1))
    await administer(sql`create database ${name} template template0 encoding ${sql.lit(encoding)} locale 'C'`)
    onTestFinished(() => administer(sql`drop database ${name} with (force)`))
    await expect(migrate(other.href, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      message: `DATABASE_URL: the database has the encoding ${encoding}, and names of tokens need UTF8; create another one: create database tokenwire template template0 encoding 'UTF8' locale 'C.UTF-8'`,
    })
  })

  test('is told to look for the primary where the database takes no writes', async () => {
    const { url } = await useDatabase()
    await administer(sql`alter database ${sql.id(new URL(url).pathname.slice(1))} set default_transaction_read_only = on`)
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'database_unavailable',
      retryable: true,
      message: expect.stringMatching(/takes no writes: .*point DATABASE_URL to the primary.*default_transaction_read_only/),
    })
  })

  test("reads the server's own words where it refuses a statement of the migrations", async () => {
    const { url } = await openSite([
      `create function deny() returns event_trigger language plpgsql as $$ begin
        raise exception using errcode = '0A000', message = 'extension "pg_trgm" is not allow-listed'; end $$`,
      `create event trigger denied on ddl_command_start when tag in ('CREATE EXTENSION') execute function deny()`,
      OWN,
    ])
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(
        /^DATABASE_URL: at .*: the database does not offer something .*a managed server .*\(extension "pg_trgm" is not allow-listed, 0A000\)$/,
      ),
    })
  })

  // With C, search tells É from é. After an update of the system's locales, indexes of texts may miss rows. The service starts.
  test.each([
    ['a locale that does not fold letters', "locale 'C' locale_provider libc", 'does not fold letters'],
    ['a locale that has changed since', "locale_provider icu icu_locale 'en' locale 'C' collation_version = '0'", 'reindex database'],
    ['nothing in a locale that does', "locale 'C.UTF-8' locale_provider libc", null],
  ])('is warned of %s', async (_, locale, warning) => {
    const { url } = await useDatabase({ migrated: false })
    const other = new URL(url)
    other.pathname += '_other'
    const name = sql.id(other.pathname.slice(1))
    await administer(sql`create database ${name} template template0 encoding 'UTF8' ${sql.raw(locale)}`)
    onTestFinished(() => administer(sql`drop database ${name} with (force)`))
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    await requireDatabase(openOrm(other.href).em.getKysely(), { url: other.href, use: 'index', logger })
    expect(lines).toEqual(warning === null ? [] : [expect.stringContaining(warning)])
  })
})

// Managed services grant each table of `public` to the roles of their own API, whose keys stand in pages: whoever has one writes tokens.
test('a process that indexes is warned of other roles that may write its tables, before and after there are any', async () => {
  const { url, name, database } = await openSite([OWN, 'create role $me_anon', 'create role $me_reader'])
  const [anon, reader] = [`${name}_anon`, `${name}_reader`]
  onTestFinished(async () => {
    for (const role of [anon, reader]) await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(database.kysely)
  })
  const db = openOrm(url).em.getKysely<unknown>()
  const warnings = async () => {
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) })
    await requireDatabase(db, { url, use: 'index', logger })
    return lines
  }
  expect(await warnings()).toEqual([])
  await sql.raw(`alter default privileges in schema public grant all on tables to ${anon}`).execute(db)
  await sql.raw(`alter default privileges in schema public grant select on tables to ${reader}`).execute(db)
  const warning = `DATABASE_URL: ${anon} may change the tables of this service`
  expect(await warnings()).toEqual([expect.stringContaining(warning)])
  await migrate(url, silentLogger)
  const [remedy = ''] = await warnings()
  expect(remedy).toContain(warning)
  for (const statement of remedy.slice(remedy.indexOf('revoke')).split('; ')) await sql.raw(statement).execute(db)
  expect(await warnings()).toEqual([])
})

// The tables of Prisma's `?schema=app` were made in `public`, without a word.
test.each([
  ['?schema=app&pgbouncer=true', 'no use of schema, pgbouncer in the address; SCHEMA names the schema of the tables'],
  ['?currentSchema=app', 'no use of currentSchema in the address; SCHEMA names'],
  ['?connection_limit=1', 'no use of connection_limit in the address"'],
  ['?sslmode=prefer&application_name=x&target_session_attrs=read-write&options=-c%20jit=off', null],
])('a parameter that is meant for other programs is named: %s', async (search, warning) => {
  const { url } = await useDatabase()
  const given = new URL(url)
  for (const [name, value] of new URLSearchParams(search)) given.searchParams.set(name, value)
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await requireDatabase(openOrm(url).em.getKysely(), { url: given.href, use: 'serve', logger })
  expect(lines).toEqual(warning === null ? [] : [expect.stringContaining(warning)])
})

describe('a gateway', () => {
  test.each([
    [
      'no right',
      ['revoke all on schema public from public', 'create schema other', 'alter extension pg_trgm set schema other'],
      'use schema public, nor read the tables, nor use the extension pg_trgm',
      ['grant usage on schema public to $me', 'grant select on all tables in schema public to $me', 'grant usage on schema other to $me'],
    ],
    [
      'rows that it may not see',
      ['grant select on all tables in schema public to $me', 'alter table block_undo enable row level security'],
      'see all rows',
      ['alter role $me bypassrls'],
    ],
  ])('is told what gives its role what it lacks: %s', async (_, statements, what, remedies) => {
    const { url, name, database } = await openSite(statements, { migrated: true })
    const helping = remedies.map(remedy => remedy.replaceAll('$me', name))
    const required = () => requireDatabase(openOrm(url).em.getKysely(), { url, use: 'serve', logger: silentLogger })
    await expect(required()).rejects.toMatchObject({
      code: 'config_invalid',
      message: `DATABASE_URL: role ${name} may not ${what} in database ${name}; as the owner of the database or a superuser, run there: ${helping.join('; ')}`,
    })
    for (const statement of helping) await sql.raw(statement).execute(database.kysely)
    await expect(required()).resolves.toBeUndefined()
  })
})
