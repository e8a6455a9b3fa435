import { stat } from 'node:fs/promises'
import process from 'node:process'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBinaries } from '#store/embedded/initialise.ts'
import { isServerOf, layoutOf, type StartInput } from '#store/embedded/serverProcess.ts'
import { keepServer, startEmbedded } from '#store/embedded/startEmbedded.ts'
import { openOrm } from '#test/support/database.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

/* A server that dies under its service is started again by it, or given up within a bounded number of attempts. */

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder()
})
afterEach(() => folder.remove())

test('an embedded server that was killed is there again on the same port with what was committed', async () => {
  const log = createLogLines()
  const lost: string[] = []
  const server = await startEmbedded({ dataDir: folder.path, logger: log.logger, durable: false, onLost: () => lost.push('lost') })
  const orm = openOrm(server.url, { poolSize: 1 })
  const db = orm.em.getKysely()
  await sql`create table kept as select 42 as value`.execute(db)
  await sql`checkpoint`.execute(db)
  process.kill(server.pid, 'SIGQUIT')
  const value = async () => (await sql<{ value: number }>`select value from kept`.execute(db).catch(() => null))?.rows[0]?.value
  await expect.poll(async () => isServerOf(server.pid, `${folder.path}/postgres/data`) || (await value())).toBe(42)
  await orm.close(true)
  await server.stop()
  expect(lost).toEqual([])
  expect(log.lines().filter(({ msg }) => String(msg).includes('started again'))).toHaveLength(1)
  expect(log.text()).not.toContain('    at ')
  expect(await stat(server.postmasterFile).catch(() => null)).toBeNull()
})

test('a server that does not start again is given up after eight attempts, each a line in the log', async () => {
  const { postgres } = await findBinaries()
  const log = createLogLines()
  const { promise, resolve } = Promise.withResolvers<void>()
  const start: StartInput = { layout: layoutOf(folder.path), postgres, user: { kind: 'self' }, durable: false }
  const attempts: (number | undefined)[] = []
  const kept = keepServer({
    start,
    server: { pid: 2 ** 22 + 1, port: 5_000 },
    logger: log.logger,
    lost: resolve,
    pollMs: 1,
    pauseMs: 0.01,
    restart: async ({ port }) => {
      attempts.push(port)
      throw new Error('no space left on device')
    },
  })
  await promise
  await kept.stop()
  expect(attempts).toEqual(Array.from({ length: 8 }, () => 5_000))
  expect(log.lines().filter(({ msg }) => msg === 'embedded PostgreSQL does not start')).toHaveLength(8)
  expect(log.text()).not.toContain('    at ')
})
