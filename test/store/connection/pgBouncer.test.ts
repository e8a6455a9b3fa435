import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import process from 'node:process'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { LOCKS } from '#store/connection/advisoryLocks.ts'
import { holdSessionLock } from '#store/connection/sessionLock.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { openOrm, silentLogger, useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

/*
 * Behind PgBouncer in transaction mode the service started, and stalled with `prepared statement … already exists`. In session mode, as it
 * comes out of the box, it refused the parameters of the connection's start, and the service said that no PostgreSQL answers.
 */

const PGBOUNCER = findProgram({ names: ['pgbouncer'], aptPackage: 'pgbouncer' })

const started: { readonly bouncer: ChildProcess; readonly folder: TemporaryFolder }[] = []
afterAll(async () => {
  for (const { bouncer, folder } of started) {
    if (bouncer.exitCode === null && bouncer.kill('SIGKILL')) await once(bouncer, 'exit')
    await folder.remove()
  }
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** @returns the address of the database through PgBouncer */
async function startPgBouncer(program: string, databaseUrl: string, settings: readonly string[]): Promise<string> {
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl)
  const folder = await makeTemporaryFolder()
  // PgBouncer refuses to run as root.
  await chmod(folder.path, 0o777)
  const port = await freePort()
  const user = process.getuid?.() === 0 ? ['user = nobody'] : []
  const lines = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...user,
    ...settings,
  ]
  await writeFile(`${folder.path}/pgbouncer.ini`, `${lines.join('\n')}\n`)
  const bouncer = spawn(program, [`${folder.path}/pgbouncer.ini`], { stdio: ['ignore', 'ignore', 'pipe'] })
  started.push({ bouncer, folder })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    bouncer.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('process up')) resolve()
    })
    bouncer.once('exit', () => reject(new Error(`PgBouncer has ended: ${said}`)))
  })
  return `postgres://anybody:anything@127.0.0.1:${port}${pathname}`
}

describe.runIf(PGBOUNCER !== null)('PgBouncer', () => {
  test.each([
    ['transaction', []],
    ['transaction', ['server_round_robin = 1']],
    ['statement', []],
  ] as const)('in %s mode is refused by name %j', async (mode, settings) => {
    const database = await useDatabase({ migrated: false })
    const url = await startPgBouncer(PGBOUNCER as string, database.url, [`pool_mode = ${mode}`, ...settings])
    // Other clients leave connections for the pooler to give.
    const db = openOrm(url, { poolSize: 4 }).em.getKysely()
    await Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(0.1)`.execute(db)))
    await expect(migrate(url, silentLogger)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^DATABASE_URL: .*PgBouncer with pool_mode = transaction; set pool_mode = session/),
    })
  })

  test('in session mode, as it comes, works with its settings, locks and prepared statements', async () => {
    const database = await useDatabase({ migrated: false })
    const url = await startPgBouncer(PGBOUNCER as string, database.url, [])
    expect((await migrate(url, silentLogger)).length).toBeGreaterThan(0)
    const input = { url, key: LOCKS.writer, applicationName: 'test-lock', what: 'the lock', logger: silentLogger }
    const { lock } = await holdSessionLock(input)
    expect((await holdSessionLock(input)).lock).toBeNull()
    const db = openOrm(url, { poolSize: 1, statementTimeoutMs: 1234 }).em.getKysely()
    for (let value = 1; value <= 3; value++) {
      const { rows } = await sql`select ${value}::integer as value, current_setting('statement_timeout') as limit,
        current_setting('jit') as jit`.execute(db)
      expect(rows).toEqual([{ value, limit: '1234ms', jit: 'off' }])
    }
    await lock?.release()
  })
})
