import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { pause } from '#async/pause.ts'
import { monotonicMs } from '#clock'
import { messageOf, TokenwireError } from '#errors'
import { databaseFault, toDatabaseError } from '#store/connection/databaseErrors.ts'
import { holdSessionLock, LOCKS, type SessionLock } from '#store/connection/sessionLock.ts'
import { findBinaries, initialise, UNFINISHED } from './initialise.ts'
import {
  chooseServerUser,
  dataVersion,
  EMBEDDED_NAME,
  findServer,
  isReadyServer,
  type Layout,
  layoutOf,
  type RunningServer,
  readServer,
  type StartInput,
  startServer,
  stopServer,
} from './serverProcess.ts'

const OPEN_ATTEMPTS = 20
const OPEN_PAUSE_MS = 100
const WATCH_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** With pauses that double from 1 to 30 s, about two minutes. */
const START_ATTEMPTS = 8
/** A server that has run for this long has started well, and attempts are counted from one again. */
const SETTLED_MS = 60_000
/** The polls in which a server of another service is away until it counts as lost: if it has died, that one starts it again in less. */
const SHARED_POLLS = 10

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
  const start = { layout, postgres, user, durable, maxConnections }
  const { server, ownership, password } = await openServer(start, logger)
  if (ownership === null && !mayShare) {
    throw new TokenwireError(
      'config_invalid',
      `DATA_DIR: the database in ${layout.dataFolder} is in use by another running Tokenwire; stop that one, or give this one another DATA_DIR, a DATABASE_URL, or for a second index a SCHEMA`,
    )
  }
  const of = { port: server.port, serverPid: server.pid }
  if (ownership === null) logger.info(of, 'the embedded PostgreSQL of another running Tokenwire is used')
  else logger.info({ ...of, wasRunning: server.found }, 'embedded PostgreSQL is ready')
  const watched = onLost && watchServer({ start, server, isOwn: ownership !== null, logger }, onLost)
  return {
    url: serverUrl(server, password, EMBEDDED_NAME),
    pid: server.pid,
    postmasterFile: join(layout.dataFolder, 'postmaster.pid'),
    found: server.found,
    stop: async () => {
      const pid = (await watched?.stop()) ?? server.pid
      if (ownership === null) return
      await ownership.release()
      await stopServer(layout, pid)
      logger.info('embedded PostgreSQL has stopped')
    },
  }
}

interface WatchInput {
  readonly start: StartInput
  readonly server: Pick<RunningServer, 'pid' | 'port'>
  /** Whether a server that has died is started again, on the same port, where this service's connections find it. */
  readonly isOwn: boolean
  readonly logger: Logger
  /** Default `readServer`. */
  readonly read?: typeof readServer
  /** Default `startServer`. */
  readonly restart?: (input: StartInput) => Promise<Pick<RunningServer, 'pid' | 'port'>>
  /** Monotonic milliseconds. Default `monotonicMs`. */
  readonly now?: () => number
  /** Default 1 s. */
  readonly watchMs?: number
}

/**
 * @param lost is called once, when the server does not start again or another service's server stays away
 * @returns a function that ends the watch, and resolves with the server's pid when no start is under way
 */
export function watchServer(
  { start, server, isOwn, logger, read = readServer, restart = startServer, now = monotonicMs, watchMs = WATCH_MS }: WatchInput,
  lost: () => void,
): { stop(): Promise<number> } {
  const stopped = new AbortController()
  let { pid } = server
  const watch = async () => {
    let startedAtMs = now()
    for (let failures = 0; failures < (isOwn ? START_ATTEMPTS : SHARED_POLLS); ) {
      await pause(isOwn ? Math.min(MAX_PAUSE_MS, watchMs * 2 ** failures) : watchMs, stopped.signal)
      if (stopped.signal.aborted) return
      const found = await read(start.layout)
      if (found !== null && (found.port === server.port || found.pid === pid)) {
        pid = found.pid
        if (!isOwn || now() - startedAtMs >= SETTLED_MS) failures = 0
        continue
      }
      failures++
      if (!isOwn) continue
      logger.warn({ attempt: failures, of: START_ATTEMPTS, serverPid: pid }, 'embedded PostgreSQL has died and is started again')
      const started = await restart({ ...start, port: server.port }).catch((error: unknown) => {
        logger.error({ attempt: failures, reason: messageOf(error) }, 'embedded PostgreSQL does not start')
        return null
      })
      if (started === null) continue
      // Another service has started it on another port.
      if (started.port !== server.port) break
      pid = started.pid
      startedAtMs = now()
      logger.info({ port: started.port, serverPid: pid }, 'embedded PostgreSQL is ready again')
    }
    lost()
  }
  const watching = watch()
  return {
    stop: async () => {
      stopped.abort()
      await watching
      return pid
    },
  }
}

/** Finds or starts the server and claims it. A server that was found may be shutting down, so finding and claiming are retried. */
async function openServer(input: StartInput, logger: Logger) {
  const { layout } = input
  for (let attempt = 1; ; attempt++) {
    const running = await findServer(layout)
    const server = running === null ? await startServer(input) : { ...running, found: true }
    const password = await readPassword(layout)
    try {
      const ownership = await claimServer({ url: serverUrl(server, password, 'postgres'), layout, logger })
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
  const server = await readServer(layout)
  return isReadyServer(server) ? serverUrl(server, await readPassword(layout), EMBEDDED_NAME) : null
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

interface ClaimInput {
  /** A superuser's address of the server's `postgres` database. */
  readonly url: string
  readonly layout: Layout
  readonly logger: Logger
  readonly heartbeatMs?: number
}

/**
 * Makes this process the owner of an embedded server until it releases it or ends, and creates the database.
 *
 * @returns `null` when another service owns it
 * @throws `TokenwireError` `config_invalid` when it is another folder's server; the driver's error when it can't be reached
 */
export async function claimServer({ layout, ...input }: ClaimInput): Promise<SessionLock | null> {
  const { lock } = await holdSessionLock({
    ...input,
    key: LOCKS.embeddedOwner,
    applicationName: 'tokenwire-owner',
    what: 'the embedded database',
    beforeTaking: session => checkServer(session, layout.dataFolder),
    onTaken: async session => {
      const { rows } = await sql`select from pg_database where datname = ${EMBEDDED_NAME}`.execute(session)
      if (rows.length === 0) await sql`create database ${sql.id(EMBEDDED_NAME)}`.execute(session)
      await removeUnfinished(layout)
    },
  })
  return lock
}

async function checkServer(session: Kysely<unknown>, dataFolder: string): Promise<void> {
  const { rows } = await sql<{ folder: string }>`select current_setting('data_directory') as folder`.execute(session)
  if (rows[0]?.folder === dataFolder) return
  throw new TokenwireError('config_invalid', `DATA_DIR: the server that answers is not the one of ${dataFolder}`)
}

/** Removes what processes have left that were killed while they created the folder, and of which initdb may still be writing. */
async function removeUnfinished({ dataDir }: Layout): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(UNFINISHED)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}
