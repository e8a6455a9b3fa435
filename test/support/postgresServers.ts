import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { type Binaries, findBinaries } from '#store/embedded/initialise.ts'
import { asServerUser, chooseServerUser } from '#store/embedded/serverProcess.ts'
import { openOrm } from './database.ts'
import { findProgram } from './findProgram.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

/** A running server, whose superuser `tokenwire` needs no password. */
export interface PostgresServer {
  readonly db: Kysely<unknown>
  /** Ends it at once. What has committed is kept. */
  kill(): Promise<void>
}

/** Servers of one installation of PostgreSQL below one folder, run by a user that it accepts. */
export interface PostgresServers {
  readonly folder: string
  /** Runs a program as the servers' user. Resolves with its output. */
  asUser(file: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  /** Makes a data folder. Resolves with its path. */
  initialise(name: string): Promise<string>
  /** Resolves when the server answers. Settings are `name=value`. */
  start(dataFolder: string, port: number, settings?: readonly string[]): Promise<PostgresServer>
  /** Ends the servers that still run, and removes the folder. */
  remove(): Promise<void>
}

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_level=replica', 'fsync=off', 'timezone=UTC']

/** The address of a database on a server at this port. */
export const urlAt = (port: number, database = 'postgres') => `postgresql://tokenwire@127.0.0.1:${port}/${database}`

/** PostgreSQL as Debian installs it, with `pg_dump` and `pg_basebackup`, which the embedded one lacks. `null`: it is not installed. */
export function findSystemPostgres(): (Binaries & { readonly folder: string }) | null {
  const folders = globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()
  const postgres = findProgram({ names: ['postgres'], aptPackage: 'postgresql', folders })
  if (postgres === null) return null
  const folder = path.dirname(postgres)
  return { folder, postgres, initdb: path.join(folder, 'initdb') }
}

/** @param binaries default: those of the embedded PostgreSQL */
export async function openPostgresServers(binaries?: Binaries): Promise<PostgresServers> {
  const { postgres, initdb } = binaries ?? (await findBinaries())
  const folder = await makeTemporaryFolder()
  const { user } = await chooseServerUser(postgres, folder.path, null)
  if (user.kind !== 'self') await chown(folder.path, user.uid, user.gid)
  const asUser = async (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { options, ...command } = asServerUser(user, file, args)
    const inFolder = { ...options, cwd: folder.path, env: { ...options.env, ...env } }
    return (await promisify(execFile)(command.file, command.args, inFolder)).stdout
  }
  return {
    folder: folder.path,
    asUser,
    initialise: async name => {
      const data = path.join(folder.path, name)
      await asUser(initdb, [`--pgdata=${data}`, '--username=tokenwire', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'])
      return data
    },
    start: async (dataFolder, port, settings = []) => {
      const all = [...SETTINGS, `port=${port}`, ...settings].flatMap(setting => ['-c', setting])
      const { file, args, options } = asServerUser(user, postgres, ['-D', dataFolder, ...all])
      const server = spawn(file, args, { ...options, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
      let log = ''
      server.stderr?.on('data', chunk => (log += String(chunk)))
      const db = openOrm(urlAt(port)).em.getKysely<unknown>()
      await isReady(server, db, () => log)
      const kill = async () => {
        if (hasEnded(server)) return
        server.kill('SIGQUIT')
        await once(server, 'exit')
      }
      return { db, kill }
    },
    remove: () => folder.remove(),
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function isReady(server: ChildProcess, db: Kysely<unknown>, log: () => string): Promise<void> {
  while (!hasEnded(server)) {
    const isUp = await sql`select 1`.execute(db).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await pause(50)
  }
  throw new Error(`the server of a test has ended with ${server.exitCode ?? server.signalCode}:\n${log()}`)
}
