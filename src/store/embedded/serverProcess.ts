import { type ChildProcess, spawn } from 'node:child_process'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { TokenwireError } from '#errors'
import type { Layout } from './layout.ts'
import { judgePostmasterFile, type PostmasterFile } from './postmasterFile.ts'
import { isAlive, isServerOf } from './processes.ts'
import { asServerUser, type ServerUser } from './serverUser.ts'

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
