import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { parseDecimal } from '#domain/decimal.ts'
import { databaseFault } from '#store/connection/databaseErrors.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { MAX_PREPARED } from '#store/connection/preparedStatements.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { BalanceEntity } from '#tables/balance.ts'
import { TokenEntity } from '#tables/token.ts'
import { administer, openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf, insertRows, tokenRow, wordOf } from '#test/support/rows.ts'

const database = await useDatabase()

describe('the ORM', () => {
  test('keeps numbers of any size exact and bytes as lower-case hex', async () => {
    const huge = 2n ** 256n - 1n
    await insertRows(database.kysely, 'token', [
      tokenRow(1, { total_supply: huge.toString(), price_weth: '0.000000000000000000000000000000000001' }),
    ])
    const em = openOrm(database.url).em.fork()
    const token = await em.findOneOrFail(TokenEntity, { address: addressOf(1) })
    expect(token).toMatchObject({
      address: addressOf(1),
      totalSupply: huge,
      priceWeth: parseDecimal('0.000000000000000000000000000000000001'),
      createdTxHash: wordOf(1),
      mainPool: null,
      createdAt: 1_700_000_000,
    })
    token.totalSupply = 7n
    token.mainPool = wordOf(0xabcdef)
    await em.flush()
    const { rows } = await sql`select total_supply, encode(main_pool, 'hex') as pool from token`.execute(database.kysely)
    expect(rows).toEqual([{ total_supply: '7', pool: wordOf(0xabcdef).slice(2) }])
  })

  test('finds rows by the parts of a key that is bytes', async () => {
    const key = { token: addressOf(1), holder: addressOf(2) }
    await insertRows(database.kysely, 'balance', [{ ...key, balance: '-5', type: 'pool', last_changed_block: 9 }])
    expect(await openOrm(database.url).em.fork().findOne(BalanceEntity, key)).toMatchObject({
      ...key,
      balance: -5n,
      type: 'pool',
      lastChangedBlock: 9,
    })
  })

  test('closes while a connection is being opened', async () => {
    // Kysely before 0.29.9 lost such a connection, and its pool waited for it forever. MikroORM 7.2 asks for 0.29.6.
    const orm = createOrm(database.url, silentLogger)
    const statement = sql`select 1`.execute(orm.em.getKysely()).then(
      () => 'answered',
      () => 'refused',
    )
    await orm.close(true)
    expect(await statement).toBe('refused')
  })

  test('opens no more connections than it may, with its name and limits on each', async () => {
    const orm = openOrm(database.url, { poolSize: 3, applicationName: 'test-limits', statementTimeoutMs: 123_456, lockTimeoutMs: 567 })
    const db = orm.em.getKysely()
    const pids = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.01)`.execute(db)).rows[0]?.pid,
      ),
    )
    expect(new Set(pids).size).toBe(3)
    const { rows } = await sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('application_name') as name, current_setting('idle_in_transaction_session_timeout') as idle`.execute(db)
    expect(rows).toEqual([{ statement: '123456ms', lock: '567ms', name: 'test-limits', idle: '20s' }])
  })

  // On a server with PostgreSQL's defaults every list of tokens read the table from end to end.
  test('plans alike on every server, unless the address says otherwise', async () => {
    const { pathname } = new URL(database.url)
    const server = { random_page_cost: '4', jit: 'on', work_mem: '3MB' }
    for (const [name, value] of Object.entries(server)) {
      await administer(sql`alter database ${sql.id(pathname.slice(1))} set ${sql.id(name)} = ${sql.lit(value)}`)
    }
    const settingsOf = async (url: string) => {
      const { rows } = await sql`select current_setting('random_page_cost') as random_page_cost, current_setting('jit') as jit,
        current_setting('work_mem') as work_mem`.execute(openOrm(url).em.getKysely())
      return rows
    }
    expect(await settingsOf(database.url)).toEqual([{ ...server, random_page_cost: '1.1', jit: 'off' }])
    const url = new URL(database.url)
    url.searchParams.set('options', '-c random_page_cost=2')
    expect(await settingsOf(url.href)).toEqual([{ ...server, random_page_cost: '2', jit: 'off' }])
  })

  // The first 64 statements of a connection stayed prepared for its life, however seldom they ran, and no later one was.
  test('prepares on each connection what runs most', async () => {
    const db = openOrm(database.url, { poolSize: 1 }).em.getKysely()
    const ask = async (text: string, value: number) =>
      (await sql<{ answer: number }>`select ${value}::integer as answer ${sql.raw(text)}`.execute(db)).rows[0]?.answer
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < MAX_PREPARED + 10; index++) expect(await ask(`-- ${index}`, index)).toBe(index)
    }
    for (let value = 0; value < 10; value++) expect(await ask('-- often', value)).toBe(value)
    expect(await ask('-- once', 1)).toBe(1)
    // Asked without a parameter, hence not prepared itself.
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)
    expect(rows).toHaveLength(MAX_PREPARED)
    expect(rows.map(({ statement }) => statement)).toContain('select $1::integer as answer -- often')
    expect(rows.map(({ statement }) => statement)).not.toContain('select $1::integer as answer -- once')
  })

  // Of ten connections of a gateway, one had prepared the statement: one answer in ten was 500, until the connection was renewed.
  test.each([
    ['outside of transactions, unseen', 'autocommit'],
    ['inside of a transaction, at the next attempt', 'transaction'],
  ])('runs what it has prepared after its table was altered: %s', async (_, mode) => {
    const orm = openOrm(database.url, { poolSize: 1 })
    const table = sql.id(`altered_in_${mode}`)
    await sql`create table ${table} as select 1::integer as value`.execute(database.kysely)
    const ask = (db: Queryable) => sql<{ value: unknown }>`select * from ${table} where value > ${0}::integer`.execute(db)
    const run = mode === 'transaction' ? () => createTransaction(orm)(ask) : () => ask(orm.em.getKysely())
    for (let index = 0; index < 3; index++) expect((await run()).rows).toEqual([{ value: 1 }])
    await sql`alter table ${table} alter column value type numeric`.execute(database.kysely)
    if (mode === 'transaction') expect(databaseFault(await run().catch((error: unknown) => error))).toBe('conflict')
    for (let index = 0; index < 3; index++) expect((await run()).rows).toEqual([{ value: '1' }])
  })

  test('prepares again what failed to be parsed', async () => {
    const db = openOrm(database.url, { poolSize: 1 }).em.getKysely()
    const ask = () => sql`select ${1}::integer as one from made_later`.execute(db)
    await expect(ask()).rejects.toThrow('does not exist')
    await sql`create table made_later as select`.execute(db)
    expect((await ask()).rows).toEqual([{ one: 1 }])
    await sql`drop table made_later`.execute(db)
  })

  test('takes parameters of the URL that the ORM itself leaves out', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', '-c work_mem=7MB')
    const { rows } = await sql`select current_setting('work_mem') as memory`.execute(openOrm(url.href).em.getKysely())
    expect(rows).toEqual([{ memory: '7MB' }])
    url.search = '?sslmode=require'
    await expect(sql`select 1`.execute(openOrm(url.href).em.getKysely())).rejects.toThrow('does not support SSL')
  })

  test.each(['not a url with s3cret', 'mysql://user:s3cret@host/db', 'postgres://user:s3cret@host', 'postgres://user:s3cret@host:port/db'])(
    'refuses "%s" without repeating it',
    url => {
      expect(() => createOrm(url, silentLogger)).toThrow(
        expect.objectContaining({ code: 'config_invalid', message: expect.not.stringContaining('s3cret') }),
      )
    },
  )
})
