import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { messageOf, TokenwireError } from '#errors'

export interface RunningServer {
  readonly pid: number
  readonly port: number
}

export interface StartInput {
  readonly layout: Layout
  readonly postgres: string
  readonly user: ServerUser
  readonly durable: boolean
  /** Default 60. */
  readonly maxConnections?: number | undefined
  /** Default: any free port. */
  readonly port?: number
}

const POLL_MS = 20
/** Crash recovery, which replays the WAL, may take this long. */
const READY_TIMEOUT_MS = 120_000
const START_ATTEMPTS = 4
const RETRY_PAUSE_MS = 500
const MIB = 1024 ** 2
const MAX_LOG_BYTES = 8 * MIB

/** Settings of a server for one service: it listens on loopback only, and the service logs the errors of statements. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: sharedBuffers(),
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '1GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
}

/** Settings by which a committed block survives a power failure. */
const DURABILITY = ['fsync', 'synchronous_commit', 'full_page_writes']

/** The data folder's server, once it is ready; `null` when none runs, or it has ended. */
export async function findServer(layout: Layout): Promise<RunningServer | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const server = await readServer(layout)
    if (server === null) return null
    if (isReadyServer(server)) return server
    await delay(POLL_MS)
  }
  throw unavailable(`neither starts nor stops; see ${layout.logFile}`)
}

/**
 * Starts the server of a data folder, or finds the one that another service has started first. The server has a session of its own, and its
 * output goes to a file: neither Ctrl-C nor the end of this process stops it.
 *
 * @throws `TokenwireError` `database_unavailable` with the last lines of the server's log when it does not come up
 */
export async function startServer(input: StartInput): Promise<RunningServer & { readonly found: boolean }> {
  const { layout } = input
  const file = join(layout.dataFolder, 'postmaster.pid')
  // The server refuses to start while another program has the pid in the file, so the file is removed here. In other cases the server
  // removes it: a server that another service is starting may have written it anew by now.
  const pid = serverIn(await readFile(file, 'utf8').catch(() => ''))?.pid
  if (pid !== undefined && isAlive(pid) && !isServerOf(pid, layout.dataFolder)) await rm(file, { force: true })
  const log = await stat(layout.logFile).catch(() => null)
  if (log !== null && log.size > MAX_LOG_BYTES) await rename(layout.logFile, `${layout.logFile}.old`)
  for (let attempt = 1; ; attempt++) {
    const server = await becomesReady(await spawnServer(input, input.port ?? (await freePort())), layout)
    if (server !== null) return { ...server, found: false }
    // Another service has started the server first, the port was taken, or processes of a killed server are still ending.
    const other = await findServer(layout)
    if (other !== null) return { ...other, found: true }
    if (attempt === START_ATTEMPTS) {
      const lines = (await readFile(layout.logFile, 'utf8').catch(() => '')).trimEnd().split('\n')
      throw unavailable(`does not start: ${lines.slice(-3).join(' | ')} (${layout.logFile})`)
    }
    await delay(RETRY_PAUSE_MS)
  }
}

function unavailable(what: string): TokenwireError {
  return new TokenwireError('database_unavailable', `The embedded PostgreSQL ${what}`, { retryable: true })
}

/**
 * Stops a server: first as soon as its connections, which may be closing, have ended; then whether they have or not; after 30 s by an
 * immediate shutdown, from which it recovers at its next start; at last by a kill.
 */
export async function stopServer(layout: Layout, pid: number): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGTERM', 300],
    ['SIGINT', 30_000],
    ['SIGQUIT', 30_000],
    ['SIGKILL', 30_000],
  ] as const) {
    if (!isServerOf(pid, layout.dataFolder)) return
    process.kill(pid, signal)
    const deadline = Date.now() + patienceMs
    while (isServerOf(pid, layout.dataFolder) && Date.now() < deadline) await delay(POLL_MS)
  }
}

async function spawnServer({ layout, postgres, user, durable, maxConnections = 60 }: StartInput, port: number): Promise<ChildProcess> {
  const durability = Object.fromEntries(DURABILITY.map(name => [name, durable ? 'on' : 'off']))
  const ofStart = { max_connections: String(maxConnections), port: String(port) }
  const settings = Object.entries({ ...SETTINGS, ...durability, ...ofStart }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, options } = asServerUser(user, postgres, ['-D', layout.dataFolder, ...settings])
  const log = await open(layout.logFile, 'a', 0o600)
  try {
    const child = spawn(file, args, { ...options, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd] })
    // `becomesReady` reports a program that can't be started, by its exit code.
    child.on('error', () => undefined)
    child.unref()
    return child
  } finally {
    await log.close()
  }
}

/** The server once it is ready; `null`: its process has ended before that, or it is not ready after 2 minutes. */
async function becomesReady(child: ChildProcess, layout: Layout): Promise<RunningServer | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const server = await readServer(layout)
    if (isReadyServer(server) && server.pid === child.pid) return server
    await delay(POLL_MS)
  }
  child.kill('SIGQUIT')
  return null
}

/**
 * A quarter of the memory that this process may use, at least 128 MB and at most 8 GB. It is allocated as the tables grow.
 *
 * @param memoryBytes default: the machine's, or its container's limit
 */
export function sharedBuffers(memoryBytes: number = usableMemory()): string {
  return `${Math.floor(Math.min(8_192, Math.max(128, memoryBytes / 4 / MIB)))}MB`
}

/** Without a limit the system reports 0, or more than there is. */
function usableMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

async function freePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : Promise.reject(new Error('no port'))
}

/** The name of the superuser and of the database. */
export const EMBEDDED_NAME = 'tokenwire'

/** The places of the embedded server's files. */
export interface Layout {
  readonly dataDir: string
  /** Holds the data folder and the password; owned by the server's user. */
  readonly folder: string
  readonly dataFolder: string
  readonly passwordFile: string
  readonly logFile: string
}

/** The server's files under `DATA_DIR`. Nothing is created. */
export function layoutOf(dataDir: string): Layout {
  const folder = join(dataDir, 'postgres')
  const [dataFolder, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  return { dataDir, folder, dataFolder, passwordFile, logFile: join(dataDir, 'postgres.log') }
}

/** The PostgreSQL major version of the data folder; `null` when there is none. */
export async function dataVersion(layout: Layout): Promise<string | null> {
  const text = await readFile(join(layout.dataFolder, 'PG_VERSION'), 'utf8').catch(() => null)
  return text === null ? null : text.trim()
}

/** A running server. `port`: `null` while it starts or shuts down. */
interface Server {
  readonly pid: number
  readonly port: number | null
}

export function isReadyServer(server: Server | null): server is RunningServer {
  return server !== null && server.port !== null
}

/** The data folder's server; `null`: none runs. A left-over file counts as none: another program may have its pid. */
export async function readServer({ dataFolder }: Layout): Promise<Server | null> {
  const server = serverIn(await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => ''))
  return server !== null && isServerOf(server.pid, dataFolder) ? server : null
}

const PORT_LINE = 3
const STATUS_LINE = 7

/** What a `postmaster.pid` says (https://www.postgresql.org/docs/current/storage-file-layout.html), complete or not. */
export function serverIn(text: string): Server | null {
  const lines = text.split('\n').map(line => line.trim())
  // A stand-alone backend writes its pid as a negative number.
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isSafeInteger(pid) || pid === 0) return null
  const port = Number(lines[PORT_LINE])
  return { pid, port: lines[STATUS_LINE] === 'ready' && Number.isInteger(port) && port > 0 ? port : null }
}

/** Whether a process of that pid exists, of any user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether the process is a running PostgreSQL server of that data folder. Pids are reused, above all in containers. */
export function isServerOf(pid: number, dataFolder: string): boolean {
  if (!isAlive(pid)) return false
  const command = commandOf(pid)
  return command.includes('postgres') && `${command} `.includes(` -D ${dataFolder} `)
}

/** A process's command line; empty for a process that has ended, zombies included. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

const run = promisify(execFile)

/**
 * The user that the server runs as. PostgreSQL refuses to run as root:
 * - `self`: this process's user;
 * - `user`: this process is root, the server another user;
 * - `entering`: the same, where that user may not enter a folder of the path (a checkout under `/root` or in a private temporary folder).
 *   The server keeps the one capability of root that opens folders.
 */
export type ServerUser = { readonly kind: 'self' } | { readonly kind: 'user' | 'entering'; readonly uid: number; readonly gid: number }

/** Program, arguments and options with which `spawn` runs a program as the server's user. */
export function asServerUser(user: ServerUser, file: string, args: readonly string[]) {
  // The service's environment is not passed on: it holds keys, and `PG…` variables would change the server's settings.
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
  if (user.kind === 'self') return { file, args, options: { env } }
  const { kind, uid, gid } = user
  if (kind === 'user') return { file, args, options: { uid, gid, env } }
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  // Without `no_setuid_fixup` access(2), by which initdb checks for postgres, ignores the capability.
  const capability = ['--securebits=+no_setuid_fixup', '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override']
  return { file: 'setpriv', args: [...ids, ...capability, file, ...args], options: { env } }
}

/**
 * Chooses the user that the server runs as, by running the program as that user.
 *
 * @param owner the uid and gid of an existing data folder: its server has to keep running as them
 * @returns the user and the program's version
 * @throws `TokenwireError` `not_supported` when the program does not run, or this process is root and no other user can run it
 */
export async function chooseServerUser(
  postgres: string,
  dataDir: string,
  owner: { readonly uid: number; readonly gid: number } | null,
): Promise<{ readonly user: ServerUser; readonly version: string }> {
  // Root tries first, so that a program that can't run at all is not taken for one that the other user may not reach.
  const version = await run(postgres, ['--version'], asServerUser({ kind: 'self' }, postgres, []).options).catch((cause: unknown) => {
    const stderr = cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string' ? cause.stderr.trim() : ''
    const reason = (stderr === '' ? messageOf(cause) : stderr).split('\n')[0]
    const sentence = `The embedded PostgreSQL does not run on this system, on Linux it needs glibc (${reason}); set DATABASE_URL to a PostgreSQL of your own`
    throw new TokenwireError('not_supported', sentence, { cause })
  })
  const made = { version: version.stdout.trim() }
  if (process.getuid?.() !== 0) return { user: { kind: 'self' }, ...made }
  const ids = owner !== null && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await findOrAddUser()
  let folder = dataDir
  while ((await stat(folder).catch(() => null)) === null && folder !== dirname(folder)) folder = dirname(folder)
  for (const kind of ['user', 'entering'] as const) {
    const { file, args, options } = asServerUser({ kind, ...ids }, 'sh', ['-c', '"$0" --version && test -x "$1"', postgres, folder])
    const runs = await run(file, args, { ...options, cwd: '/' }).catch(() => null)
    if (runs !== null) return { user: { kind, ...ids }, ...made }
  }
  throw new TokenwireError(
    'not_supported',
    `PostgreSQL does not run as root, and its user (uid ${ids.uid}) may not enter ${dataDir} or ${dirname(postgres)}; ` +
      'run the service as another user, move it and DATA_DIR to folders that others may enter, or set DATABASE_URL',
  )
}

async function findOrAddUser(): Promise<{ uid: number; gid: number }> {
  const idOf = async (option: string, name: string) => Number((await run('id', [option, name])).stdout)
  const findUser = async (name: string) => ({ uid: await idOf('-u', name), gid: await idOf('-g', name) })
  const add = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']
  return (
    findUser('postgres')
      .catch(() => run('useradd', add).then(() => findUser('postgres')))
      // In a minimal image no user can be added.
      .catch(() => findUser('nobody'))
      .catch(() => {
        const sentence = 'PostgreSQL does not run as root, and there is no user "postgres"; add one, or set DATABASE_URL'
        throw new TokenwireError('not_supported', sentence)
      })
  )
}
