import { stat } from 'node:fs/promises'
import process from 'node:process'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isServerOf, layoutOf, type RunningServer } from '#store/embedded/serverProcess.ts'
import { startEmbedded, watchServer } from '#store/embedded/startEmbedded.ts'
import { openOrm } from '#test/support/database.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

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

/** A watch over a server that is there at every second look, and starts again each time. Pauses end at once. */
function watchDying(lost: () => void, now: () => number, restart: () => Promise<{ readonly pid: number; readonly port: number }>) {
  const log = createLogLines()
  let looks = 0
  const alive = { pid: 2 ** 22 + 1, port: 5_000 } as RunningServer
  const start = { layout: layoutOf(folder.path), postgres: 'none', user: { kind: 'self' }, durable: false } as const
  const read = async () => (++looks % 2 === 1 ? alive : null)
  return { log, ...watchServer({ start, server: alive, isOwn: true, logger: log.logger, read, restart, now, watchMs: 0 }, lost) }
}

// It was started again without end, since it was there when it was looked for.
test('a server that dies again soon after each start is given up after eight attempts', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let starts = 0
  const { stop } = watchDying(
    resolve,
    () => 0,
    async () => ({ pid: ++starts, port: 5_000 }),
  )
  await promise
  await stop()
  expect(starts).toBe(8)
})

test('a server that does not start is given up after eight attempts, each a line in the log', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { log, stop } = watchDying(
    resolve,
    () => 0,
    async () => {
      throw new Error('no space left on device')
    },
  )
  await promise
  await stop()
  expect(log.lines().filter(({ msg }) => msg === 'embedded PostgreSQL does not start')).toHaveLength(8)
})

test('a server that dies once an hour is started again each time', async () => {
  const { promise, resolve } = Promise.withResolvers<'twenty starts' | 'given up'>()
  let hours = 0
  let starts = 0
  const { stop } = watchDying(
    () => resolve('given up'),
    () => ++hours * 3_600_000,
    async () => {
      if (++starts === 20) resolve('twenty starts')
      return { pid: starts, port: 5_000 }
    },
  )
  expect(await promise).toBe('twenty starts')
  await stop()
})
