import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { IndexerHealth } from '#resources/health.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { type PostgresProxy, startPostgresProxy } from '#test/support/faults/postgresProxy.ts'
import { type Service, serviceFolder } from '#test/support/service.ts'

/*
 * The service as a process behind a firewall that forgets its database connections: nothing passes, nothing closes, and new connections
 * work. Indexing stood still for good without a word, SIGTERM ran into its limit, and every later start was refused, since the server kept
 * the lock of the dead session. The limits are the real ones: 2 s for the health, 25 s for indexing and for the lock, 8 s for the stop.
 */

/** What the health asks the database. */
const PING = 'select 1'

const chain = await startTestChain()

/** A service on a database of its own, through a proxy. */
async function prepare() {
  const proxy = await startPostgresProxy({ url: (await useDatabase()).url })
  const folder = await serviceFolder(chain)
  const start = async () => {
    const service = await folder.start({ DATABASE_URL: proxy.url })
    await service.indexed(await chain.head())
    return service
  }
  return { proxy, start }
}

/** Silences all connections, and returns the first health that says so. */
async function silenced(proxy: PostgresProxy, service: Service): Promise<IndexerHealth> {
  proxy.silenceAll()
  // A request may find all connections in use, and ask on a new one, which works.
  proxy.setMisfortune(({ sql }) => (sql === PING ? { kind: 'silence', hears: false } : undefined))
  const health = await healthUntil(service, ({ database }) => !database.ok)
  proxy.setMisfortune(undefined)
  return health
}

async function healthUntil(service: Service, condition: (health: IndexerHealth) => boolean): Promise<IndexerHealth> {
  for (;;) {
    const health = await service.get<IndexerHealth>('/api/indexer/health')
    if (condition(health)) return health
    await pause(50)
  }
}

test.concurrent('a service whose database goes silent says so, and goes on by itself', async () => {
  const { proxy, start } = await prepare()
  const service = await start()
  const silent = await silenced(proxy, service)
  expect(silent).toMatchObject({ status: 'stalled', reasons: expect.arrayContaining(['the database does not answer']) as unknown })
  await chain.mine()
  await service.indexed(await chain.head())
  await healthUntil(service, ({ status, database }) => status !== 'stalled' && database.ok)
  expect(service.output()).toContain('the database does not answer: its connections are closed and opened anew')
  expect(await service.stop()).toBe(0)
})

test.concurrent('a service that is stopped while its database is silent ends in order, and the next one starts', async () => {
  const { proxy, start } = await prepare()
  const service = await start()
  await chain.mine()
  await silenced(proxy, service)
  // 1 after a stop that had to be cut short.
  expect(await service.stop()).toBe(0)
  const next = await start()
  expect(await next.stop()).toBe(0)
})
