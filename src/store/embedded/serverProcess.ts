import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { messageOf, TokenwireError } from '#errors'

export interface RunningServer {
  readonly pid: number
  readonly port: number
}

export interface FoundServer extends RunningServer {
  /** Whether another process has started the server. */
  readonly found: boolean
}

export interface StartInput {
  readonly layout: Layout
  readonly postgres: string
  readonly user: ServerUser
  readonly durable: boolean
  /** Default 60. */
  readonly maxConnections?: number
  /** Default: any free port. */
  readonly port?: number
}

const MAX_CONNECTIONS = 60
const POLL_MS = 20
/** Crash recovery, which replays the WAL, may take this long. */
const READY_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 30_000
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

/** The state of the data folder's server. A file that can't be read counts as absent. */
export async function readPostmasterFile(layout: Layout): Promise<PostmasterFile> {
  const text = await readFile(join(layout.dataFolder, 'postmaster.pid'), 'utf8').catch(() => null)
  return judgePostmasterFile(text, pid => isServerOf(pid, layout.dataFolder))
}

/** The data folder's server, once it is ready; `null` when none runs, or it has ended. */
export async function findServer(layout: Layout): Promise<RunningServer | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const file = await readPostmasterFile(layout)
    if (file.kind === 'ready') return { pid: file.pid, port: file.port }
    if (file.kind !== 'changing') return null
    await delay(POLL_MS)
  }
  throw new TokenwireError('database_unavailable', `The embedded PostgreSQL neither starts nor stops; see ${layout.logFile}`, {
    retryable: true,
  })
}

/**
 * Starts the server of a data folder, or finds the one that another service has started first. The server has a session of its own, and its
 * output goes to a file: neither Ctrl-C nor the end of this process stops it.
 *
 * @throws `TokenwireError` `database_unavailable` with the last lines of the server's log when it does not come up
 */
export async function startServer(input: StartInput): Promise<FoundServer> {
  const { layout } = input
  const file = await readPostmasterFile(layout)
  // The server refuses to start while another program has the pid in the file, so the file is removed here. In other cases the server
  // removes it: a server that another service is starting may have written it anew by now.
  if (file.kind === 'stale' && isAlive(file.pid)) await rm(join(layout.dataFolder, 'postmaster.pid'), { force: true })
  await rotateLog(layout.logFile)
  for (let attempt = 1; ; attempt++) {
    const child = await spawnServer(input, input.port ?? (await freePort()))
    const server = await becomesReady(child, layout)
    if (server !== null) return { ...server, found: false }
    // Another service has started the server first, the port was taken, or processes of a killed server are still ending.
    const other = await findServer(layout)
    if (other !== null) return { ...other, found: true }
    if (attempt === START_ATTEMPTS) throw await startError(layout)
    await delay(RETRY_PAUSE_MS)
  }
}

/** Stops a server: by a fast shutdown; after 30 s by an immediate one, from which it recovers at its next start; at last by a kill. */
export async function stopServer(layout: Layout, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!isServerOf(pid, layout.dataFolder)) return
    process.kill(pid, signal)
    const deadline = Date.now() + STOP_TIMEOUT_MS
    while (Date.now() < deadline) {
      if (!isServerOf(pid, layout.dataFolder)) return
      await delay(POLL_MS)
    }
  }
}

async function spawnServer(
  { layout, postgres, user, durable, maxConnections = MAX_CONNECTIONS }: StartInput,
  port: number,
): Promise<ChildProcess> {
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
    const file = await readPostmasterFile(layout)
    if (file.kind === 'ready' && file.pid === child.pid) return { pid: file.pid, port: file.port }
    await delay(POLL_MS)
  }
  child.kill('SIGQUIT')
  return null
}

async function startError(layout: Layout): Promise<TokenwireError> {
  const log = await readFile(layout.logFile, 'utf8').catch(() => '')
  const reason = log.trimEnd().split('\n').slice(-3).join(' | ')
  return new TokenwireError('database_unavailable', `The embedded PostgreSQL does not start: ${reason} (${layout.logFile})`, {
    retryable: true,
  })
}

async function rotateLog(logFile: string): Promise<void> {
  const found = await stat(logFile).catch(() => null)
  if (found !== null && found.size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.old`)
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
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer()
  server.on('error', reject)
  server.listen({ host: '127.0.0.1', port: 0 }, () => {
    const address = server.address()
    server.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
  })
  return promise
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
  return {
    dataDir,
    folder,
    dataFolder: join(folder, 'data'),
    passwordFile: join(folder, 'password'),
    logFile: join(dataDir, 'postgres.log'),
  }
}

/** The PostgreSQL major version of the data folder; `null` when there is none. */
export async function dataVersion(layout: Layout): Promise<string | null> {
  return readFile(join(layout.dataFolder, 'PG_VERSION'), 'utf8').then(
    text => text.trim(),
    () => null,
  )
}

/** The state of a data folder's server by its `postmaster.pid` (https://www.postgresql.org/docs/current/storage-file-layout.html). */
type PostmasterFile =
  /** No file, or an empty one. */
  | { readonly kind: 'none' }
  /** The file is left over: its process has ended, or another program has its pid now. */
  | { readonly kind: 'stale'; readonly pid: number }
  /** The server is starting or shutting down. */
  | { readonly kind: 'changing'; readonly pid: number }
  | { readonly kind: 'ready'; readonly pid: number; readonly port: number }

const PORT_LINE = 3
const STATUS_LINE = 7

/**
 * @param text the file's content; `null`: there is no file
 * @param isServer whether the process of a pid is a running server of this data folder
 */
export function judgePostmasterFile(text: string | null, isServer: (pid: number) => boolean): PostmasterFile {
  const lines = (text ?? '').split('\n').map(line => line.trim())
  // A stand-alone backend writes its pid as a negative number.
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isSafeInteger(pid) || pid === 0) return { kind: 'none' }
  if (!isServer(pid)) return { kind: 'stale', pid }
  const port = Number(lines[PORT_LINE])
  if (lines[STATUS_LINE] !== 'ready' || !Number.isInteger(port) || port <= 0) return { kind: 'changing', pid }
  return { kind: 'ready', pid, port }
}

/** Whether a process of that pid exists, of any user. */
export function isAlive(pid: number): boolean {
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

/** The service's environment is not passed on: it holds keys, and `PG…` variables would change the server's settings. */
const ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

/** Program, arguments and options with which `spawn` runs a program as the server's user. */
export function asServerUser(user: ServerUser, file: string, args: readonly string[]) {
  switch (user.kind) {
    case 'self':
      return { file, args, options: { env: ENVIRONMENT } }
    case 'user':
      return { file, args, options: { uid: user.uid, gid: user.gid, env: ENVIRONMENT } }
    case 'entering':
      return {
        file: 'setpriv',
        args: [
          `--reuid=${user.uid}`,
          `--regid=${user.gid}`,
          '--clear-groups',
          // Without it access(2), by which initdb checks for postgres, ignores the capability.
          '--securebits=+no_setuid_fixup',
          '--inh-caps=-all,+dac_override',
          '--ambient-caps=-all,+dac_override',
          file,
          ...args,
        ],
        options: { env: ENVIRONMENT },
      }
  }
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
  const self = { kind: 'self' } as const
  // Root tries first, so that a program that can't run at all is not taken for one that the other user may not reach.
  const version = await versionAs(self, postgres).catch(notRunning)
  if (process.getuid?.() !== 0) return { user: self, version }
  const ids = owner !== null && owner.uid !== 0 ? owner : await findOrAddUser()
  const plain = { kind: 'user', ...ids } as const
  if ((await mayEnter(dataDir, ids)) && (await mayRun(plain, postgres))) return { user: plain, version }
  const entering = { kind: 'entering', ...ids } as const
  if (await mayRun(entering, postgres)) return { user: entering, version }
  throw new TokenwireError(
    'not_supported',
    `PostgreSQL does not run as root, and its user (uid ${ids.uid}) may not enter ${dataDir} or ${dirname(postgres)}; ` +
      'run the service as another user, move it and DATA_DIR to folders that others may enter, or set DATABASE_URL',
  )
}

async function versionAs(user: ServerUser, postgres: string): Promise<string> {
  const { file, args, options } = asServerUser(user, postgres, ['--version'])
  const { stdout } = await run(file, args, options)
  return stdout.trim()
}

async function mayRun(user: ServerUser, postgres: string): Promise<boolean> {
  return versionAs(user, postgres).then(
    () => true,
    () => false,
  )
}

function notRunning(cause: unknown): never {
  const stderr = cause instanceof Error && 'stderr' in cause && typeof cause.stderr === 'string' ? cause.stderr.trim() : ''
  const reason = stderr === '' ? messageOf(cause) : stderr
  throw new TokenwireError(
    'not_supported',
    `The embedded PostgreSQL does not run on this system, on Linux it needs glibc (${reason.split('\n')[0]}); set DATABASE_URL to a PostgreSQL of your own`,
    { cause },
  )
}

/** Whether the permission bits let a user enter a folder and all folders above it. */
async function mayEnter(folder: string, ids: { readonly uid: number; readonly gid: number }): Promise<boolean> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const found = await stat(path).catch(() => null)
    if (found !== null) {
      const bit = found.uid === ids.uid ? 0o100 : found.gid === ids.gid ? 0o010 : 0o001
      if ((found.mode & bit) === 0) return false
    }
    if (path === dirname(path)) return true
  }
}

async function findOrAddUser(): Promise<{ uid: number; gid: number }> {
  const found = await findUser('postgres')
  if (found !== null) return found
  // In a minimal image no user can be added.
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']).catch(() => undefined)
  const ids = (await findUser('postgres')) ?? (await findUser('nobody'))
  if (ids !== null) return ids
  throw new TokenwireError(
    'not_supported',
    'PostgreSQL does not run as root, and there is no user "postgres"; add one, or set DATABASE_URL',
  )
}

async function findUser(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return null
  }
}
