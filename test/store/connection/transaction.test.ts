import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createTransaction } from '#store/connection/transaction.ts'
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
