import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { findBinaries } from '#store/embedded/findBinaries.ts'
import { asServerUser, chooseServerUser } from '#store/embedded/serverUser.ts'
import { openOrm } from './database.ts'
import { freePort } from './freePort.ts'
import { makeTemporaryFolder } from './temporaryFolder.ts'

const run = promisify(execFile)

/** A PostgreSQL server and a streaming replica of it. */
export interface Replication {
  readonly primaryUrl: string
  readonly replicaUrl: string
  /** The replica answers, and shows nothing new until it is resumed. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** Nothing answers at its address until it is started. */
  killReplica(): Promise<void>
  startReplica(): Promise<void>
  /** What has committed is kept. Nothing answers at its address until it is started. */
  killPrimary(): Promise<void>
  startPrimary(): Promise<void>
  stop(): Promise<void>
}

/** The replica begins as a copy of the primary's new data folder, and streams from there. */
export async function startReplication(): Promise<Replication> {
  const folder = await makeTemporaryFolder()
  const { postgres, initdb } = await findBinaries()
  const { user } = await chooseServerUser(postgres, folder.path, null)
  if (user.kind !== 'self') await chown(folder.path, user.uid, user.gid)
  const asUser = async (file: string, args: readonly string[]) => {
    const command = asServerUser(user, file, args)
    await run(command.file, command.args, command.options)
  }
  const data = path.join(folder.path, 'primary')
  const copy = path.join(folder.path, 'replica')
  await asUser(initdb, [`--pgdata=${data}`, '--username=tokenwire', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'])
  await asUser('cp', ['-a', data, copy])
  await asUser('cp', ['/dev/null', path.join(copy, 'standby.signal')])
  const start = async (dataFolder: string, settings: readonly string[], port: number) => {
    const all = [...SETTINGS, `port=${port}`, ...settings].flatMap(setting => ['-c', setting])
    const { file, args, options } = asServerUser(user, postgres, ['-D', dataFolder, ...all])
    const server = spawn(file, args, { ...options, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    server.stderr?.on('data', chunk => (log += String(chunk)))
    const db = openOrm(urlAt(port)).em.getKysely<unknown>()
    await isReady(server, db, () => log)
    return { server, db }
  }
  const ports = { primary: await freePort(), replica: await freePort() }
  const startPrimary = () => start(data, [], ports.primary)
  const startReplica = () => start(copy, [`primary_conninfo=host=127.0.0.1 port=${ports.primary} user=tokenwire`], ports.replica)
  let primary = await startPrimary()
  let replica = await startReplica()
  const kill = async (server: ChildProcess) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGQUIT')
    await once(server, 'exit')
  }
  return {
    primaryUrl: urlAt(ports.primary),
    replicaUrl: urlAt(ports.replica),
    pauseReplay: async () => {
      await sql`select pg_wal_replay_pause()`.execute(replica.db)
      const state = async () => (await sql<{ state: string }>`select pg_get_wal_replay_pause_state() as state`.execute(replica.db)).rows[0]
      while ((await state())?.state !== 'paused') await pause(5)
    },
    resumeReplay: async () => {
      await sql`select pg_wal_replay_resume()`.execute(replica.db)
    },
    killReplica: () => kill(replica.server),
    startReplica: async () => {
      replica = await startReplica()
    },
    killPrimary: () => kill(primary.server),
    startPrimary: async () => {
      primary = await startPrimary()
    },
    stop: async () => {
      await kill(replica.server)
      await kill(primary.server)
      await folder.remove()
    },
  }
}

const urlAt = (port: number) => `postgresql://tokenwire@127.0.0.1:${port}/postgres`

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'wal_level=replica',
  'wal_keep_size=256MB',
  'fsync=off',
  'timezone=UTC',
]

async function isReady(server: ChildProcess, db: Kysely<unknown>, log: () => string): Promise<void> {
  while (server.exitCode === null && server.signalCode === null) {
    const isUp = await sql`select 1`.execute(db).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await pause(50)
  }
  throw new Error(`the server of a test has ended with ${server.exitCode ?? server.signalCode}:\n${log()}`)
}
