import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { MAX_LIFETIME, MIN_LIFETIME, renewConnections } from '#store/connection/orm.ts'
import { openOrm, useDatabase } from '#test/support/database.ts'

const database = await useDatabase()

test('a connection lives as long as its pool had lived, within bounds', () => {
  const pool: { readonly options: { maxLifetimeSeconds?: number } } = { options: {} }
  let nowMs = 5_000
  renewConnections(pool, () => nowMs)
  const lifetimes = [0, 59, 61, 300, 599, 601, 86_400].map(age => {
    nowMs = 5_000 + age * 1_000
    return pool.options.maxLifetimeSeconds
  })
  expect(lifetimes).toEqual([MIN_LIFETIME, MIN_LIFETIME, 61, 300, 599, MAX_LIFETIME, MAX_LIFETIME])
})

test('the connections of an ORM are renewed, used or not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const db = openOrm(database.url, { poolSize: 1 }).em.getKysely()
    const pidAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms)
      return (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
    }
    // Each time sooner than an idle connection is closed.
    const pids = [await pidAfter(0), await pidAfter((MIN_LIFETIME / 2) * 1_000), await pidAfter((MIN_LIFETIME / 2 + 1) * 1_000)]
    expect(pids[1]).toBe(pids[0])
    expect(pids[2]).not.toBe(pids[0])
  } finally {
    vi.useRealTimers()
  }
})
