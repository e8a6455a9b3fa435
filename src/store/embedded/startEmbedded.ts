import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { pause } from '#async/turns.ts'
import { messageOf, TokenwireError } from '#errors'
import { databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
import { holdSessionLock, LOCKS, type SessionLock } from '#store/connection/sessionLock.ts'
import { findBinaries, initialise } from './initialise.ts'
import {
  chooseServerUser,
  dataVersion,
  EMBEDDED_NAME,
  type FoundServer,
  findServer,
  isServerOf,
  type Layout,
  layoutOf,
  type RunningServer,
  readPostmasterFile,
  type StartInput,
  startServer,
  stopServer,
} from './serverProcess.ts'

const OPEN_ATTEMPTS = 20
const OPEN_PAUSE_MS = 100
/** A server that has died is started again by its own service, which takes less time. */
const SHARED_GONE_MS = 10_000
const SHARED_POLL_MS = 1_000

export interface EmbeddedOptions {
  /** Holds the server's files: `postgres/` and `postgres.log`. */
  readonly dataDir: string
  readonly logger: Logger
  /** Whether commits survive a crash of the machine. Default true. */
  readonly durable?: boolean
  /** Default 60, which one service and its operator's tools need. */
  readonly maxConnections?: number
  /** Called once when the server has died and could not be restarted. Default: a server that dies is not restarted. */
  readonly onLost?: () => void
  /** Whether the server of another service is used while that runs. Then `onLost` is called when it has stopped. Default: no. */
  readonly mayShare?: boolean
}

export interface EmbeddedServer {
  /** The address of the `tokenwire` database, with its password. */
  readonly url: string
  /** The pid of the postmaster. */
  readonly pid: number
  /** The path of `postmaster.pid`, whose first line is the pid while the server runs. */
  readonly postmasterFile: string
  /** Whether the server was still running, as when a service was killed. */
  readonly found: boolean
  /** Terminates open connections, so call it last. */
  stop(): Promise<void>
}

/**
 * Starts a private PostgreSQL under `DATA_DIR`, for one service at a time. Only `stop()` stops it: it outlives a process that is killed,
 * and the next one uses it.
 *
 * @throws `TokenwireError`: `config_invalid` when another service uses the folder or it can't be used; `not_supported` where there is no
 *   PostgreSQL for the platform or user; `database_unavailable` when the server does not start
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, logger, durable = true, maxConnections, onLost, mayShare = false } = options
  const layout = await openLayout(dataDir)
  const { postgres, initdb } = await findBinaries()
  const owner = await stat(layout.dataFolder).catch(() => null)
  const { user, version } = await chooseServerUser(postgres, layout.dataDir, owner)
  if (user.kind === 'entering') {
    logger.warn({ dataDir: layout.dataDir }, 'the embedded PostgreSQL may pass folders that are closed to its user')
  }
  if ((await dataVersion(layout)) === null) {
    logger.info({ dataDir: layout.dataDir }, 'creating the embedded database')
    await initialise(layout, initdb, user, { durable })
  }
  await checkVersion(layout, version)
  const start = { layout, postgres, user, durable, ...(maxConnections !== undefined && { maxConnections }) }
  const { server, ownership, password } = await openServer(start, logger)
  const address = {
    url: serverUrl(server, password, EMBEDDED_NAME),
    pid: server.pid,
    postmasterFile: `${layout.dataFolder}/postmaster.pid`,
    found: server.found,
  }
  if (ownership === null && mayShare) {
    logger.info({ port: server.port, serverPid: server.pid }, 'the embedded PostgreSQL of another running Tokenwire is used')
    return { ...address, stop: watchShared(layout, server.port, onLost ?? (() => undefined)) }
  }
  if (ownership === null) {
    throw new TokenwireError(
      'config_invalid',
      `DATA_DIR: the database in ${layout.dataFolder} is in use by another running Tokenwire; stop that one, or give this one another DATA_DIR, a DATABASE_URL, or for a second index a SCHEMA`,
    )
  }
  logger.info({ port: server.port, serverPid: server.pid, wasRunning: server.found }, 'embedded PostgreSQL is ready')
  const kept = onLost === undefined ? null : keepServer({ start, server, logger, lost: onLost })
  return {
    ...address,
    stop: async () => {
      await kept?.stop()
      await ownership.release()
      await stopServer(layout, kept?.pid() ?? server.pid)
      logger.info('embedded PostgreSQL has stopped')
    },
  }
}

/** Watches a server that another service starts and stops. @returns a function that ends the watch */
function watchShared(layout: Layout, port: number, lost: () => void): () => Promise<void> {
  const stopped = new AbortController()
  const watch = async (): Promise<void> => {
    for (let goneMs = 0; goneMs < SHARED_GONE_MS; ) {
      await pause(SHARED_POLL_MS, stopped.signal)
      if (stopped.signal.aborted) return
      const file = await readPostmasterFile(layout)
      goneMs = file.kind === 'ready' && file.port === port ? 0 : goneMs + SHARED_POLL_MS
    }
    lost()
  }
  const watching = watch()
  return async () => {
    stopped.abort()
    await watching
  }
}

/** Finds or starts the server and claims it. A server that was found may be shutting down, so finding and claiming are retried. */
async function openServer(input: StartInput, logger: Logger) {
  const { layout } = input
  for (let attempt = 1; ; attempt++) {
    const running = await findServer(layout)
    const server = running === null ? await startServer(input) : { ...running, found: true }
    const password = await readPassword(layout)
    const url = serverUrl(server, password, 'postgres')
    try {
      const ownership = await claimServer({ url, dataFolder: layout.dataFolder, logger })
      return { server, ownership, password }
    } catch (error) {
      const again = server.found && attempt < OPEN_ATTEMPTS && databaseFault(error) === 'unavailable'
      if (!server.found) await stopServer(layout, server.pid)
      if (!again) throw toDatabaseError(error)
      await delay(OPEN_PAUSE_MS)
    }
  }
}

/** The address of the embedded database for other tools; `null` when its server does not run. */
export async function findEmbeddedUrl(dataDir: string): Promise<string | null> {
  const folder = await realpath(dataDir).catch(() => null)
  if (folder === null) return null
  const layout = layoutOf(folder)
  const file = await readPostmasterFile(layout)
  return file.kind === 'ready' ? serverUrl(file, await readPassword(layout), EMBEDDED_NAME) : null
}

async function openLayout(dataDir: string): Promise<Layout> {
  try {
    await mkdir(dataDir, { recursive: true })
    return layoutOf(await realpath(dataDir))
  } catch (cause) {
    throw new TokenwireError('config_invalid', `DATA_DIR: can not use the folder ${dataDir} (${messageOf(cause)})`, { cause })
  }
}

async function checkVersion(layout: Layout, programVersion: string): Promise<void> {
  const made = await dataVersion(layout)
  const brought = /(\d+)/.exec(programVersion)?.[1]
  if (made === brought) return
  throw new TokenwireError(
    'config_invalid',
    `DATA_DIR: the database in ${layout.dataFolder} was made by PostgreSQL ${made} and this version of Tokenwire brings ${brought}; ` +
      'start with another DATA_DIR (everything is indexed again), or dump and restore it',
  )
}

async function readPassword(layout: Layout): Promise<string> {
  try {
    return (await readFile(layout.passwordFile, 'utf8')).trim()
  } catch (cause) {
    throw new TokenwireError('config_invalid', `DATA_DIR: can not read ${layout.passwordFile}, the embedded database's password`, { cause })
  }
}

/** The URL has all parameters, so that the driver takes none from variables such as `PGSSLMODE`, which are meant for other servers. */
function serverUrl(server: Pick<RunningServer, 'port'>, password: string, database: string): string {
  return `postgres://${EMBEDDED_NAME}:${password}@127.0.0.1:${server.port}/${database}?sslmode=disable&options=-csearch_path%3Dpublic`
}

export interface OwnershipInput {
  /** A superuser's address of the server's `postgres` database. */
  readonly url: string
  readonly dataFolder: string
  readonly logger: Logger
  readonly heartbeatMs?: number
}

const DRAIN_ATTEMPTS = 15
const DRAIN_PAUSE_MS = 20

/**
 * Makes this process the owner of an embedded server until it releases it or ends, and creates the database.
 *
 * @returns `null` when another service owns it
 * @throws `TokenwireError` `config_invalid` when it is another folder's server; the driver's error when it can't be reached
 */
export async function claimServer({ dataFolder, ...input }: OwnershipInput): Promise<SessionLock | null> {
  const { lock } = await holdSessionLock({
    ...input,
    key: LOCKS.embeddedOwner,
    applicationName: 'tokenwire-owner',
    what: 'the embedded database',
    beforeTaking: session => checkServer(session, dataFolder),
    onTaken: ensureDatabase,
    beforeRelease: drainConnections,
  })
  return lock
}

async function checkServer(session: Kysely<unknown>, dataFolder: string): Promise<void> {
  const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(session)
  if (rows[0]?.folder === dataFolder) return
  throw new TokenwireError('config_invalid', `DATA_DIR: the server that answers is not the one of ${dataFolder}`)
}

async function ensureDatabase(session: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_database where datname = ${EMBEDDED_NAME}`.execute(session)
  if (rows.length === 0) await sql`create database ${sql.id(EMBEDDED_NAME)}`.execute(session)
}

/** Waits briefly for connections that are being closed: they would report an error if the server's shutdown ended them. */
async function drainConnections(session: Kysely<unknown>): Promise<void> {
  for (let attempt = 0; attempt < DRAIN_ATTEMPTS; attempt++) {
    const { rows } = await sql`
      select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`.execute(session)
    if (rows.length === 0) return
    await delay(DRAIN_PAUSE_MS)
  }
}

export interface KeepServerInput {
  readonly start: StartInput
  readonly server: RunningServer
  readonly logger: Logger
  /** Called once when the server could not be restarted. */
  readonly lost: () => void
  /** How often to check that it runs. Default 1 s. */
  readonly pollMs?: number
  /** The pause before the second attempt; it doubles up to 30 s. Default 1 s. */
  readonly pauseMs?: number
  /** Default: `startServer`. */
  readonly restart?: (input: StartInput) => Promise<FoundServer>
}

export interface KeptServer {
  pid(): number
  /** Stops watching; resolves when no restart is running. */
  stop(): Promise<void>
}

const MAX_PAUSE_MS = 30_000
const ATTEMPTS = 8
/** A server that has run for this long has started well, and attempts are counted from one again. */
const SETTLED_MS = 60_000

/**
 * Restarts a server that has died, on the same port, so that the service's connections find it again. Logs each attempt. Gives up after
 * eight in a row, about two minutes: an operator is needed.
 */
export function keepServer(input: KeepServerInput): KeptServer {
  const { start, server, logger, lost, pollMs = 1_000, pauseMs = 1_000, restart = startServer } = input
  const { port } = server
  const stopped = new AbortController()
  const { signal } = stopped
  let { pid } = server
  let startedAtMs = performance.now()
  let failures = 0

  const attempt = async (): Promise<void> => {
    failures = performance.now() - startedAtMs > SETTLED_MS ? 0 : failures
    while (!signal.aborted) {
      failures++
      logger.warn({ attempt: failures, of: ATTEMPTS, serverPid: pid }, 'embedded PostgreSQL has died and is started again')
      const started = await restart({ ...start, port }).catch((error: unknown) => {
        logger.error({ attempt: failures, reason: messageOf(error) }, 'embedded PostgreSQL does not start')
        return null
      })
      // Another service has started the server on another port, where this service's connections would not find it.
      if (started?.port === port) {
        pid = started.pid
        startedAtMs = performance.now()
        logger.info({ port, serverPid: pid }, 'embedded PostgreSQL is ready again')
        return
      }
      if (started !== null || failures >= ATTEMPTS) {
        stopped.abort()
        lost()
        return
      }
      await pause(Math.min(MAX_PAUSE_MS, pauseMs * 2 ** (failures - 1)), signal)
    }
  }

  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(pollMs, signal)
      if (!signal.aborted && !isServerOf(pid, start.layout.dataFolder)) await attempt()
    }
  }
  const watching = watch()

  return {
    pid: () => pid,
    stop: async () => {
      stopped.abort()
      await watching
    },
  }
}
