import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { holdSessionLock, LOCKS, lockOf } from '#store/connection/sessionLock.ts'
import { activityLine, migrate } from '#store/migrations/migrate.ts'
import { addMigration } from '#test/support/addMigration.ts'
import { administer, databaseUrl, silentLogger, useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { freePort } from '#test/support/freePort.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const FIRST = 'Migration0001Schema'

function changed(url: string, change: (url: URL) => void): string {
  const parsed = new URL(url)
  change(parsed)
  return parsed.href
}

describe('migrating', () => {
  test('brings an empty database up to date, and does nothing the next time', async () => {
    const database = await useDatabase({ migrated: false })
    expect(await migrate(database.url, silentLogger)).toContain(FIRST)
    expect(await migrate(database.url, silentLogger)).toEqual([])
    expect((await sql`select from token`.execute(database.kysely)).rows).toEqual([])
  })

  test('runs every migration once when several processes start at once', async () => {
    const database = await useDatabase({ migrated: false })
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, silentLogger)))
    expect(applied.filter(names => names.length > 0).length).toBe(1)
    const { rows } = await sql<{ name: string }>`select name from mikro_orm_migrations order by id`.execute(database.kysely)
    expect(rows.map(row => row.name)).toEqual(applied.flat())
  })

  test('waits for the lock that another process holds', async () => {
    const database = await useDatabase({ migrated: false })
    let migrated: Promise<readonly string[]> | undefined
    await database.kysely.connection().execute(async session => {
      await sql`select pg_advisory_lock(${lockOf(LOCKS.migrate)})`.execute(session)
      migrated = migrate(database.url, silentLogger)
      const waiting = sql`select from pg_locks join pg_database on pg_database.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`
      await expect.poll(async () => (await waiting.execute(database.kysely)).rows.length).toBe(1)
      expect((await sql`select to_regclass('token') as found`.execute(database.kysely)).rows).toEqual([{ found: null }])
      await sql`select pg_advisory_unlock(${lockOf(LOCKS.migrate)})`.execute(session)
    })
    expect(await migrated).toContain(FIRST)
  })

  // The new version changed the schema, found the old one running and ended; the old one could no longer read how to undo a block.
  test('leaves the schema to a process that indexes with it', async () => {
    const database = await useDatabase({ migrated: false })
    const { url } = database
    const hold = () => holdSessionLock({ url, key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger: silentLogger })
    const first = await hold()
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'database_taken',
      retryable: true,
      message: expect.stringMatching(/server process \d+, connected from/),
    })
    expect((await sql`select to_regclass('token') as found`.execute(database.kysely)).rows).toEqual([{ found: null }])
    await first.lock?.release()
    expect(await migrate(url, silentLogger)).toContain(FIRST)
    const second = await hold()
    expect(await migrate(url, silentLogger)).toEqual([])
    await second.lock?.release()
  })

  // The connection never returned to its pool. The start waited for it without end, and `npm run db:migrate` ended with code 13.
  test('ends when its connection is lost in the middle', async () => {
    const database = await useDatabase({ migrated: false })
    await database.kysely.connection().execute(async session => {
      await sql`set idle_in_transaction_session_timeout = 0`.execute(session)
      await sql`begin`.execute(session)
      await sql`create table token (address bytea)`.execute(session)
      const failure = migrate(database.url, silentLogger).catch((error: unknown) => error)
      // The migrations wait for the transaction that creates a table of the same name.
      const waiting = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting.execute(database.kysely)).rows.length).toBe(1)
      await sql`select pg_terminate_backend(pid) from (${waiting}) as waiting`.execute(database.kysely)
      expect(await failure).toMatchObject({ code: 'database_unavailable', retryable: true })
      await sql`rollback`.execute(session)
    })
    expect(await migrate(database.url, silentLogger)).toContain(FIRST)
  })

  // Reads of gateways queued behind the migration for as long as a backup of the database took.
  test('waits for a session that uses a table without holding up its readers, and names it', async () => {
    const database = await useDatabase()
    onTestFinished(addMigration(['alter table chain_state add column next bigint']))
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: line => void lines.push(line) })
    await database.kysely.connection().execute(async session => {
      await sql`set application_name = 'backup'; set idle_in_transaction_session_timeout = 0`.execute(session)
      await sql`begin`.execute(session)
      await sql`select from chain_state`.execute(session)
      const migrated = migrate(database.url, logger)
      await eventually(() => lines.some(line => /waits for backup \(server process \d+\): let it finish/.test(line)))
      await sql`select from chain_state`.execute(database.kysely)
      await sql`commit`.execute(session)
      expect(await migrated).toEqual(['Migration9999Next'])
    })
  })

  test.each([
    [{ blockers: null, table: null, phase: null, percent: null }, null],
    [{ blockers: null, table: 'trade', phase: 'initializing', percent: null }, 'the migration builds an index of trade: initializing'],
    [{ blockers: null, table: 'trade', phase: 'sorting', percent: 7 }, 'the migration builds an index of trade: sorting, 7 %'],
  ])('logs how far it is: %o', (activity, line) => {
    expect(activityLine(activity)).toBe(line)
  })

  test('works for an owner of the database who is no superuser', async () => {
    const database = await useDatabase({ migrated: false })
    const name = new URL(database.url).pathname.slice(1)
    await administer(sql`create role ${sql.id(name)} login password 'plain'`)
    await administer(sql`alter database ${sql.id(name)} owner to ${sql.id(name)}`)
    const url = changed(database.url, parsed => {
      parsed.username = name
      parsed.password = 'plain'
    })
    expect(await migrate(url, silentLogger)).toContain(FIRST)
    await sql`reassign owned by ${sql.id(name)} to current_user`.execute(database.kysely)
    await sql`drop owned by ${sql.id(name)}`.execute(database.kysely)
    await administer(sql`drop role ${sql.id(name)}`)
  })

  // The driver left out a limit of zero, so that an index on a large table was cancelled after what the role was allowed for its requests.
  test('has no limit of statements of its own, and a short one of locks, whatever the database is set to', async () => {
    const database = await useDatabase({ migrated: false })
    const name = sql.id(new URL(database.url).pathname.slice(1))
    for (const limit of ['statement_timeout', 'lock_timeout']) await administer(sql`alter database ${name} set ${sql.raw(limit)} = '90s'`)
    await sql`create table public.limit_of (statement text, lock text)`.execute(database.kysely)
    await sql`create function public.keep_limits() returns event_trigger language plpgsql as
      'begin insert into public.limit_of values (current_setting(''statement_timeout''), current_setting(''lock_timeout'')); end'`.execute(
      database.kysely,
    )
    await sql`create event trigger keep_limits on ddl_command_end execute function public.keep_limits()`.execute(database.kysely)
    expect(await migrate(database.url, silentLogger)).toContain(FIRST)
    expect((await sql`select distinct statement, lock from public.limit_of`.execute(database.kysely)).rows).toEqual([
      { statement: '0', lock: '2s' },
    ])
  })

  test('leaves nothing behind when a migration fails', async () => {
    const database = await useDatabase({ migrated: false })
    await sql`create table trade (in_the_way integer)`.execute(database.kysely)
    await expect(migrate(database.url, silentLogger)).rejects.toThrow('already exists')
    const { rows } = await sql`select to_regclass('chain_state') as state, to_regclass('token') as token`.execute(database.kysely)
    expect(rows).toEqual([{ state: null, token: null }])
    await sql`drop table trade`.execute(database.kysely)
    expect(await migrate(database.url, silentLogger)).toContain(FIRST)
  })

  test('refuses a schema of another version, and says which one', async () => {
    const database = await useDatabase({ migrated: false })
    await migrate(database.url, silentLogger)
    await sql`comment on table mikro_orm_migrations is 'Tokenwire 9.9.0'`.execute(database.kysely)
    await sql`insert into mikro_orm_migrations (name) values ('Migration9999Future')`.execute(database.kysely)
    await expect(migrate(database.url, silentLogger)).rejects.toMatchObject({
      code: 'database_foreign',
      retryable: false,
      message: expect.stringMatching(
        /^DATABASE_URL: Tokenwire 9\.9\.0 has made .* does not know Migration9999Future: start that version or a newer one; to go back/,
      ),
    })
  })

  // The first migration had the name that the new one had, so a database of it alone was taken for a present one.
  test.each([[['Migration0001Initial']], [['Migration0001Initial', 'Migration0002MinutesFrom']]])(
    'refuses the schema of %j, from before it began anew, and leaves it as it is',
    async names => {
      const database = await useDatabase({ migrated: false })
      await sql`create table mikro_orm_migrations (id serial primary key, name text, executed_at timestamptz default now())`.execute(
        database.kysely,
      )
      for (const name of names) await sql`insert into mikro_orm_migrations (name) values (${name})`.execute(database.kysely)
      await expect(migrate(database.url, silentLogger)).rejects.toMatchObject({
        code: 'database_foreign',
        retryable: false,
        message: expect.stringMatching(/^DATABASE_URL: the schema of this database is from before .*a new database, which is indexed anew/),
      })
      const { rows } = await sql`select to_regclass('token') as token`.execute(database.kysely)
      expect(rows).toEqual([{ token: null }])
    },
  )

  test('says what is wrong with the address, without the password', async () => {
    const database = await useDatabase({ migrated: false })
    const { host } = new URL(database.url)
    const failureOf = (change: (url: URL) => void) => migrate(changed(database.url, change), silentLogger).catch((error: unknown) => error)
    const wrong = await failureOf(url => (url.password = 's3cret-and-wrong'))
    expect(wrong).toMatchObject({
      code: 'config_invalid',
      retryable: false,
      message: expect.stringMatching(`^DATABASE_URL.*${host}.*password authentication failed`),
    })
    expect(String(wrong)).not.toContain('s3cret')
    expect(await failureOf(url => (url.pathname = '/nowhere'))).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('"nowhere"'),
    })
    expect(await failureOf(url => (url.hostname = 'host.invalid'))).toMatchObject({ code: 'database_unavailable', retryable: true })
    expect(await failureOf(url => url.searchParams.set('sslmode', 'verify-ca'))).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('sslrootcert'),
    })
    expect(await failureOf(url => url.searchParams.set('sslrootcert', '/no/such/ca.pem'))).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^DATABASE_URL: can not read the file of sslrootcert: \/no\/such\/ca\.pem \(ENOENT\)/),
    })
    const percent = await migrate(database.url.replace(/:[^:@]*@/, ':100%s3cret@'), silentLogger).catch((error: unknown) => error)
    expect(percent).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^DATABASE_URL: the password has a % .*%25$/),
    })
    expect(String(percent)).not.toContain('s3cret')
  })

  test('names connection slots that are used up', async () => {
    const database = await useDatabase({ migrated: false })
    const name = new URL(database.url).pathname.slice(1)
    await administer(sql`create role slotless login password 'slotless' connection limit 0`)
    await administer(sql`alter database ${sql.id(name)} owner to slotless`)
    const url = changed(database.url, parsed => {
      parsed.username = 'slotless'
      parsed.password = 'slotless'
    })
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringMatching(/no free connection slot: raise max_connections .*53300\)$/),
    })
    await administer(sql`alter database ${sql.id(name)} owner to current_user`)
    await administer(sql`drop role slotless`)
  })

  test('says that nothing answers when nothing listens', async () => {
    const port = await freePort()
    const failure = await migrate(`postgres://someone:s3cret@127.0.0.1:${port}/db`, silentLogger).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'database_unavailable',
      retryable: true,
      message: `DATABASE_URL: at 127.0.0.1:${port}, database "db": the database is not reachable: start PostgreSQL, or correct host and port of DATABASE_URL, or the firewall in between (connect ECONNREFUSED 127.0.0.1:${port}, ECONNREFUSED)`,
    })
  })

  test('refuses a server that is too old', async () => {
    const database = await useDatabase({ migrated: false })
    // The setting itself can't be changed: a function of the same name that is found first stands in for an old server.
    await sql`create schema old`.execute(database.kysely)
    await sql`create function old.current_setting(text) returns text language sql as $$ select '140011' $$`.execute(database.kysely)
    const url = changed(database.url, parsed => parsed.searchParams.set('options', '-c search_path=old,pg_catalog,public'))
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('PostgreSQL 14; version 15 or newer'),
    })
  })
})

describe('the commands', () => {
  const commandOf = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
    run(process.execPath, [file, ...args], { env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )

  test('migrate the configured database and say so', async () => {
    const database = await useDatabase({ migrated: false })
    const env = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
    expect(await commandOf('src/commands/dbMigrate.ts', [], env)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Migrated: ${FIRST}`),
    })
    expect(await commandOf('src/commands/dbMigrate.ts', [], env)).toMatchObject({
      code: 0,
      stdout: 'The database schema is up to date.\n',
    })
    expect(await database.orm.migrator.getPending()).toEqual([])
  })

  test('end with 1 for what must be changed and 75 for what may pass, with one line that says what', async () => {
    const wrong = changed(databaseUrl('postgres'), url => (url.password = 's3cret-and-wrong'))
    const refused = await commandOf('src/commands/dbMigrate.ts', [], { DATABASE_URL: wrong, LOG_LEVEL: 'silent' })
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^DATABASE_URL: .*\n$/) })
    expect(refused.stderr).not.toContain('s3cret')
    const away = changed(wrong, url => (url.hostname = 'host.invalid'))
    expect(await commandOf('src/commands/dbMigrate.ts', [], { DATABASE_URL: away, LOG_LEVEL: 'silent' })).toMatchObject({
      code: 75,
      stderr: expect.stringMatching(/^DATABASE_URL: at host\.invalid.*the database is not reachable.*\n$/),
    })
  })

  test('of MikroORM see the migrations and no difference', async () => {
    const database = await useDatabase()
    const env = { DATABASE_URL: database.url, MIKRO_ORM_CLI_CONFIG: './mikro-orm.config.ts' }
    const cli = require.resolve('@mikro-orm/cli').replace(/index\.js$/, 'cli.js')
    expect((await commandOf(cli, ['migration:list'], env)).stdout).toContain(FIRST)
    expect((await commandOf(cli, ['schema:update', '--dump'], env)).stdout).toContain('Schema is up-to-date')
  })
})
