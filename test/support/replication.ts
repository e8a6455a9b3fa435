import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { closedAfterFile } from './closeAfterFile.ts'
import { freePort } from './freePort.ts'
import { openPostgresServers, urlAt } from './postgresServers.ts'

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
  /** The replica gets nothing more: what commits from now on is lost with the primary. */
  endStreaming(): Promise<void>
  /** Makes the replica a primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** The replica begins as a copy of the primary's new data folder, and streams from there. */
export async function startReplication(): Promise<Replication> {
  const servers = await openPostgresServers()
  const data = await servers.initialise('primary')
  const copy = `${servers.folder}/replica`
  await servers.asUser('cp', ['-a', data, copy])
  await servers.asUser('cp', ['/dev/null', `${copy}/standby.signal`])
  const ports = { primary: await freePort(), replica: await freePort() }
  const startPrimary = () => servers.start(data, ports.primary, ['wal_keep_size=256MB'])
  const conninfo = `primary_conninfo=host=127.0.0.1 port=${ports.primary} user=tokenwire`
  const startReplica = () => servers.start(copy, ports.replica, ['wal_keep_size=256MB', conninfo])
  let primary = await startPrimary()
  let replica = await startReplica()
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
    killReplica: () => replica.kill(),
    startReplica: async () => {
      replica = await startReplica()
    },
    killPrimary: () => primary.kill(),
    startPrimary: async () => {
      primary = await startPrimary()
    },
    endStreaming: async () => {
      await servers.asUser('sed', ['-i', '/replication/d', `${data}/pg_hba.conf`])
      await sql`select pg_reload_conf()`.execute(primary.db)
      const senders = async () => (await sql<{ pid: number }>`select pid from pg_stat_replication`.execute(primary.db)).rows
      for (let left = await senders(); left.length > 0; left = await senders())
        for (const { pid } of left) await sql`select pg_terminate_backend(${pid})`.execute(primary.db)
    },
    promote: async () => {
      await sql`select pg_promote()`.execute(replica.db)
    },
    stop: closedAfterFile(async () => {
      await replica.kill()
      await primary.kill()
      await servers.remove()
    }),
  }
}
