import { stat } from 'node:fs/promises'
import process from 'node:process'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isServerOf } from '#store/embedded/serverProcess.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
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
