import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createTransaction, LastStatements } from '#store/connection/transaction.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'
import { startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'

/*
 * A transaction whose connection broke did not return it to the pool, because `begin` or `rollback` failed before the release. Ten
 * restarts of PostgreSQL used up a pool of ten, and every later commit waited for a connection until the service was restarted.
 */

const database = await useDatabase()
const proxy = await startPostgresProxy({ url: database.url })
afterAll(() => proxy.stop())

await sql`create table written (value integer)`.execute(database.kysely)
const write = (value: number) => sql`insert into written values (${value}::integer)`
const written = async () => (await sql`select value from written`.execute(database.kysely)).rows

it.each(['begin', 'statement', 'commit'] as const)('a pool survives more connections lost at a %s than it holds', async kind => {
  const transaction = createTransaction(openOrm(proxy.url, { poolSize: 2, connectTimeoutMs: POLL_LIMIT_MS }))
  const ping = () => transaction(db => sql<{ one: number }>`select 1 as one`.execute(db))
  for (let loss = 0; loss < 5; loss++) {
    let left = 1
    proxy.setMisfortune(request =>
      request.kind === kind && left-- > 0 ? { kind: loss % 2 === 0 ? 'cut-before' : 'cut-after' } : undefined,
    )
    await expect(ping()).rejects.toThrow('Connection terminated')
  }
  proxy.setMisfortune(undefined)
  expect((await ping()).rows).toEqual([{ one: 1 }])
})

/*
 * Statements of a transaction are sent before earlier ones are answered. What one branch of the work sends after another has failed would
 * run on the returned connection, in no transaction.
 */
it('sends nothing more after the work has failed', async () => {
  const late = Promise.withResolvers<void>()
  let branch: Promise<unknown> | undefined
  const work = createTransaction(database.orm)(async db => {
    branch = late.promise.then(() => write(2).execute(db))
    await Promise.all([branch, write(1).execute(db), sql`select 1 / 0`.execute(db), write(3).execute(db)])
  })
  await expect(work).rejects.toThrow('division by zero')
  late.resolve()
  await expect(branch).rejects.toThrow('the transaction has ended')
  expect(await written()).toEqual([])
})

// The commit is on its way before the last statements are answered. What the driver can't send fails without the server's knowing.
it.each([
  ['the server refuses', () => sql`select ${0}::integer, 1 / 0`],
  ['the driver can’t send', () => sql`select ${{ toPostgres: () => assert.fail('unsendable') }}`],
])('commits nothing when %s one of the last statements', async (_, failing) => {
  const work = createTransaction(database.orm)(async db => {
    const last = [write(1), failing(), write(2)].map(statement => statement.execute(db))
    return new LastStatements(Promise.all(last))
  })
  await expect(work).rejects.toThrow(/division by zero|unsendable/)
  expect(await written()).toEqual([])
})

// A statement that was awaited before the failed one said only that the transaction was aborted, which counts as a defect of the code.
it('throws what the first failed statement threw, whichever is awaited', async () => {
  const work = createTransaction(database.orm)(async db => {
    const failed = sql`do $$ begin raise 'no space left' using errcode = '53100'; end $$`.execute(db)
    failed.catch(() => undefined)
    await write(1).execute(db)
  })
  await expect(work).rejects.toMatchObject({ code: '53100' })
})

/*
 * NOTIFY stood in the transaction: PostgreSQL's one queue for all databases was full because of a listener of another one, and every commit
 * failed. A notification that waited for a lock of that queue held the commit up.
 */
it('commits whatever becomes of what follows it, and before it ends', async () => {
  const hangs = Promise.withResolvers<void>()
  const ran: number[] = []
  const transaction = createTransaction(database.orm)
  const commit = (value: number, after: () => Promise<unknown>) =>
    transaction(async db => {
      db.afterCommit(async pool => {
        ran.push(value)
        await sql`select 1 / 0`.execute(pool).catch(() => undefined)
        await after()
      })
      await write(value).execute(db)
    })
  await commit(11, () => sql`select 1 / 0`.execute(database.kysely))
  await commit(12, () => hangs.promise)
  await commit(13, async () => undefined)
  const failed = transaction(async db => {
    db.afterCommit(async () => ran.push(14))
    await sql`select 1 / 0`.execute(db)
  })
  await expect(failed).rejects.toThrow('division by zero')
  expect(await written()).toEqual([{ value: 11 }, { value: 12 }, { value: 13 }])
  // One at a time, on one connection of the pool.
  await expect.poll(() => ran).toEqual([11, 12])
  hangs.resolve()
  await expect.poll(() => ran).toEqual([11, 12, 13])
})
