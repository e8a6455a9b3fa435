import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createOrm } from '#store/connection/orm.ts'
import { findBinaries } from '#store/embedded/initialise.ts'
import { chooseServerUser, isServerOf, layoutOf, startServer, stopServer } from '#store/embedded/serverProcess.ts'
import { claimServer, type EmbeddedServer, findEmbeddedUrl, startEmbedded } from '#store/embedded/startEmbedded.ts'
import { silentLogger } from '#test/support/database.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '#test/support/temporaryFolder.ts'

const run = promisify(execFile)

let folder: TemporaryFolder
let dataDir: string
const processes: ChildProcess[] = []

/** Holds a database that was created and never used: copying it is quicker than creating one for every test. */
let template: TemporaryFolder

beforeAll(async () => {
  template = await makeTemporaryFolder()
  const server = await startEmbedded({ dataDir: template.path, logger: silentLogger, durable: false })
  await server.stop()
})

afterAll(() => template.remove())

beforeEach(async () => {
  folder = await makeTemporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  for (const child of processes.splice(0)) child.kill('SIGKILL')
  await folder.remove()
})

const postgresFolder = () => join(dataDir, 'postgres')

const leftovers = async () => (await readdir(dataDir)).filter(name => !['postgres', 'postgres.log'].includes(name))

describe('the embedded database', () => {
  test('keeps what it holds from one start to the next', async () => {
    const first = await start()
    expect(first.found).toBe(false)
    await query(first.url, sql`create table kept as select 42 as value`)
    await first.stop()
    expect(isRunning(first.pid)).toBe(false)
    const second = await start()
    expect(await query(second.url, sql`select value from kept`)).toEqual([{ value: 42 }])
    await second.stop()
    expect(await leftovers()).toEqual([])
  })

  test('is private, durable and quiet', async () => {
    await prepare()
    const server = await start({ durable: true })
    const settings = ['listen_addresses', 'unix_socket_directories', 'synchronous_commit', 'fsync', 'full_page_writes', 'server_encoding']
    const [row] = await query<Record<string, string>>(
      server.url,
      sql`select ${sql.join(settings.map(name => sql`current_setting(${name}) as ${sql.ref(name)}`))}`,
    )
    expect(row).toEqual({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      synchronous_commit: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      server_encoding: 'UTF8',
    })
    expect(await query(server.url, sql`select lower('ÀÉ') as folded`)).toEqual([{ folded: 'àé' }])
    await expect(query(server.url, sql`select s3cret from nowhere`)).rejects.toThrow('nowhere')
    const url = new URL(server.url)
    expect(url.hostname).toBe('127.0.0.1')
    expect(url.password.length).toBeGreaterThan(24)
    url.password = 'guessed'
    await expect(query(url.href, sql`select 1`)).rejects.toThrow('password authentication failed')
    await server.stop()
    expect((await stat(join(postgresFolder(), 'password'))).mode & 0o777).toBe(0o600)
    expect((await stat(postgresFolder())).mode & 0o777).toBe(0o700)
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).toContain('ready to accept connections')
    expect(log).not.toContain('s3cret')
    expect(log).not.toContain(new URL(server.url).password)
  })

  // `PGOPTIONS` and `PGSSLMODE`, exported in a shell for another server, kept it from starting.
  test('hears nothing of variables that are meant for other servers and programs', async () => {
    const foreign = {
      PGHOST: 'host.invalid',
      PGHOSTADDR: '192.0.2.1',
      PGPORT: '1',
      PGDATABASE: 'other',
      PGUSER: 'other',
      PGPASSWORD: 'other',
      PGPASSFILE: '/no/such/file',
      PGSERVICE: 'other',
      PGOPTIONS: '-c no_such_setting=on',
      PGSSLMODE: 'verify-full',
      PGSSLNEGOTIATION: 'direct',
      PGSSLROOTCERT: '/no/such/file',
      PGREQUIREAUTH: 'none',
      PGCLIENT_ENCODING: 'LATIN1',
      PGDATESTYLE: 'German',
      PGTZ: 'nowhere',
      PGDATA: '/no/such/folder',
      LC_ALL: 'xx_XX.nothing',
      LANG: 'xx_XX.nothing',
      MIKRO_ORM_HOST: 'host.invalid',
    }
    for (const [name, value] of Object.entries(foreign)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    // As of a shell's environment, in a process of its own.
    const { url, error } = await spawnService().said
    expect(error).toBeUndefined()
    expect(await query(url, sql`select current_setting('lc_messages') as locale, current_setting('search_path') as path`)).toEqual([
      { locale: 'C', path: 'public' },
    ])
  })

  test('is found again after its service was killed, and can be stopped then', async () => {
    await prepare()
    const service = spawnService()
    const { pid, url, found } = await service.said
    expect(found).toBe(false)
    await query(url, sql`create table kept as select 42 as value`)
    await service.kill()
    expect(isRunning(pid)).toBe(true)
    expect(await findEmbeddedUrl(dataDir)).toBe(url)
    const server = await start()
    expect(server).toMatchObject({ pid, url, found: true })
    expect(await query(server.url, sql`select value from kept`)).toEqual([{ value: 42 }])
    await server.stop()
    expect(isRunning(pid)).toBe(false)
    expect(await findEmbeddedUrl(dataDir)).toBeNull()
  })

  test('recovers what was committed after it was killed together with its service', async () => {
    await prepare()
    const service = spawnService()
    const { pid, url } = await service.said
    await query(url, sql`create table kept as select 42 as value`)
    process.kill(pid, 'SIGKILL')
    await service.kill()
    const server = await start()
    expect(server.found).toBe(false)
    expect(await query(server.url, sql`select value from kept`)).toEqual([{ value: 42 }])
    await server.stop()
  })

  test('starts though a left-over postmaster.pid names a process of another program', async () => {
    await prepare()
    const other = spawn('sleep', ['1000'])
    processes.push(other)
    const file = join(postgresFolder(), 'data', 'postmaster.pid')
    await writeFile(file, `${other.pid}\n${postgresFolder()}/data\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready   \n`)
    const server = await start()
    expect(server.found).toBe(false)
    expect(server.pid).not.toBe(other.pid)
    expect(await query(server.url, sql`select 1 as one`)).toEqual([{ one: 1 }])
    await server.stop()
    expect(other.exitCode).toBeNull()
  })

  test('refuses a second service and lets the first one be', async () => {
    await prepare()
    const first = await start()
    await expect(start()).rejects.toMatchObject({
      code: 'config_invalid',
      retryable: false,
      message: expect.stringMatching(/^DATA_DIR: .*in use by another running Tokenwire/),
    })
    expect(await query(first.url, sql`select 1 as one`)).toEqual([{ one: 1 }])
    await first.stop()
  })

  // `SCHEMA=next npm start` was refused, though the guide promises it.
  test('is used by a second service that may, until its own one stops', async () => {
    await prepare()
    const first = await start()
    const onLost = vi.fn()
    const second = await startEmbedded({ dataDir, logger: silentLogger, durable: false, mayShare: true, onLost })
    expect([second.url, second.found]).toEqual([first.url, true])
    await second.stop()
    expect(await query(first.url, sql`select 1 as one`)).toEqual([{ one: 1 }])
    await startEmbedded({ dataDir, logger: silentLogger, durable: false, mayShare: true, onLost })
    expect(onLost).not.toHaveBeenCalled()
    await first.stop()
    await expect.poll(() => onLost.mock.calls.length).toBe(1)
    const own = await startEmbedded({ dataDir, logger: silentLogger, durable: false, mayShare: true })
    expect(own.found).toBe(false)
    await own.stop()
  })

  test('belongs to its service again after the server has restarted itself', async () => {
    await prepare()
    const { postgres } = await findBinaries()
    const layout = layoutOf(dataDir)
    const { user } = await chooseServerUser(postgres, dataDir, await stat(layout.dataFolder))
    const server = await startServer({ layout, postgres, user, durable: false })
    const password = (await readFile(layout.passwordFile, 'utf8')).trim()
    const url = `postgres://tokenwire:${password}@127.0.0.1:${server.port}/postgres`
    const input = { url, layout, logger: silentLogger, heartbeatMs: 1_000 }
    const ownership = await claimServer(input)
    const owner = sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and granted`
    const [before] = await query(url, owner)
    if (before === undefined) throw new Error('no process holds the lock')
    // The server ends all connections and recovers when one of its processes dies.
    process.kill(before.pid, 'SIGKILL')
    const ownersNow = () => query(url, owner).catch(() => [])
    await expect.poll(async () => (await ownersNow()).map(({ pid }) => pid !== before.pid)).toEqual([true])
    expect(await claimServer(input)).toBeNull()
    await ownership?.release()
    await stopServer(layout, server.pid)
  })

  test('serves one of two services that start at once on an empty folder', async () => {
    const services = [spawnService(), spawnService()]
    const said = await Promise.all(services.map(service => service.said))
    expect(said.filter(({ error }) => error === undefined).length).toBe(1)
    expect(said.find(({ error }) => error !== undefined)?.error).toContain('in use by another running Tokenwire')
    for (const service of services) await service.kill()
    await (await start()).stop()
    expect(await leftovers()).toEqual([])
  })

  test('begins anew after it was killed in the middle of being created', async () => {
    const service = spawnService()
    // If the test looks late, it may already be complete.
    const isBegun = (name: string) => name.startsWith('postgres.new-') || name === 'postgres'
    await expect.poll(async () => (await readdir(dataDir).catch(() => [])).some(isBegun), { interval: 5 }).toBe(true)
    await service.kill()
    const server = await start()
    expect(await query(server.url, sql`select 1 as one`)).toEqual([{ one: 1 }])
    await server.stop()
    expect(await leftovers()).toEqual([])
  })

  test('leaves alone what stands in its place and is no database', async () => {
    await mkdir(postgresFolder(), { recursive: true })
    await writeFile(join(postgresFolder(), 'notes.txt'), 'mine')
    await expect(start()).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('or something else') })
    expect(await readFile(join(postgresFolder(), 'notes.txt'), 'utf8')).toBe('mine')
    expect(await leftovers()).toEqual([])
  })

  test('works in a folder that only this user may enter', async () => {
    await mkdir(dataDir)
    await chmod(folder.path, 0o700)
    const server = await start()
    expect(await query(server.url, sql`select 1 as one`)).toEqual([{ one: 1 }])
    await server.stop()
    await (await start()).stop()
  })

  test('says what is wrong with a folder that it can not use', async () => {
    await writeFile(dataDir, 'a file')
    await expect(start()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/^DATA_DIR: can not use the folder/),
    })
    await rm(dataDir)
    await prepare()
    const versionFile = join(postgresFolder(), 'data', 'PG_VERSION')
    await writeFile(versionFile, '12\n')
    await expect(start()).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('made by PostgreSQL 12') })
    await rm(versionFile)
    await expect(start()).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('damaged') })
    await writeFile(versionFile, '18\n')
    await rm(join(postgresFolder(), 'password'))
    await expect(start()).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining('password') })
  })
})

/** Puts a database into `DATA_DIR` that an earlier start has created. */
const prepare = () => run('cp', ['-a', template.path, dataDir])

const start = (options: { durable?: boolean } = {}): Promise<EmbeddedServer> =>
  startEmbedded({ dataDir, logger: silentLogger, durable: false, ...options })

async function query<T>(url: string, statement: RawBuilder<T>): Promise<readonly T[]> {
  const orm = createOrm(url, silentLogger, { poolSize: 1, connectTimeoutMs: POLL_LIMIT_MS })
  try {
    return (await statement.execute(orm.em.getKysely())).rows
  } finally {
    await orm.close(true)
  }
}

interface Said {
  readonly url: string
  readonly pid: number
  readonly found: boolean
  readonly error?: string
}

/** A service in a process of its own. `said` is its report once its database runs, and rejects when the process ends without one. */
function spawnService(): { readonly said: Promise<Said>; kill(): Promise<void> } {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('#test/support/embeddedService.ts')), dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  processes.push(child)
  // A service that loses the race ends by itself, perhaps before it is killed: its end is awaited from the beginning.
  const ended = once(child, 'close')
  const line = once(createInterface({ input: child.stdout }), 'line')
  const said = Promise.race([
    line.then(([text]) => JSON.parse(String(text)) as Said),
    ended.then(([code, signal]) => Promise.reject(new Error(`the service ended without a report (${code ?? signal})`))),
  ])
  said.catch(() => undefined)
  return {
    said,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

// A process that has ended may stay in the list of processes until its parent looks.
const isRunning = (pid: number) => isServerOf(pid, join(postgresFolder(), 'data'))
