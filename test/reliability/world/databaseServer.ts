import { execFile } from 'node:child_process'
import { chown, mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { MikroORM } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import pino from 'pino'
import { createOrm } from '#store/connection/orm.ts'
import { findBinaries } from '#store/embedded/initialise.ts'
import { chooseServerUser, layoutOf, type ServerUser, startServer, stopServer } from '#store/embedded/serverProcess.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { freePort } from '#test/support/freePort.ts'
import { descendants } from '#test/support/processes.ts'

const run = promisify(execFile)
const silent = pino({ level: 'silent' })

/** A PostgreSQL server of its own, with an empty database of the service's schema. */
export interface DatabaseServer {
  readonly url: string
  /** For what the check itself reads. */
  readonly db: Kysely<unknown>
  /** Stops it as an operator does; connections are refused until it is started. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops all of its processes by SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void
  thaw(): void
  /** Another database on the same server, which ends with this one. */
  beside(): Promise<DatabaseServer>
  /** Takes all space of a server with a disk of its own. @returns what frees it again */
  fillDisk(): Promise<() => Promise<void>>
  end(): Promise<void>
}

/** A data folder that the servers of all worlds are copies of. */
export interface DatabaseTemplate {
  /** @param diskMb its disk has so much room; default: that of the machine. Needs the right to mount. */
  server(folder: string, options?: { readonly diskMb?: number }): Promise<DatabaseServer>
}

export async function prepareDatabase(folder: string): Promise<DatabaseTemplate> {
  const dataDir = path.join(folder, 'template')
  const first = await startEmbedded({ dataDir, logger: silent, durable: false })
  await migrate(first.url, silent)
  await first.stop()
  const { postgres } = await findBinaries()
  const { user } = await chooseServerUser(postgres, dataDir, null)
  const password = (await readFile(layoutOf(dataDir).passwordFile, 'utf8')).trim()
  return { server: (to, options) => startCopy(dataDir, to, { postgres, user, password, ...options }) }
}

interface CopyOptions {
  readonly postgres: string
  readonly user: ServerUser
  readonly password: string
  readonly diskMb?: number
}

async function startCopy(from: string, to: string, { postgres, user, password, diskMb }: CopyOptions): Promise<DatabaseServer> {
  const layout = layoutOf(to)
  await mkdir(to, { recursive: true })
  if (diskMb !== undefined) await run('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=755`, 'tmpfs', to])
  if (user.kind !== 'self') await chown(to, user.uid, user.gid)
  await run('cp', ['-a', path.join(from, 'postgres'), to])
  // A server that can't write its log of changes ends; with the log elsewhere, statements fail.
  if (diskMb !== undefined) {
    await run('mv', [path.join(layout.dataFolder, 'pg_wal'), `${to}.wal`])
    await run('ln', ['-s', `${to}.wal`, path.join(layout.dataFolder, 'pg_wal')])
  }
  const port = await freePort()
  const start = async () => (await startServer({ layout, postgres, user, durable: false, port })).pid
  let pid = await start()
  const orms: MikroORM[] = []
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const one of [pid, ...descendants(pid)]) process.kill(one, name)
  }
  const open = (database: string): DatabaseServer => {
    const url = `postgres://tokenwire:${password}@127.0.0.1:${port}/${database}`
    const orm = createOrm(url, silent, { poolSize: 3 })
    orms.push(orm)
    return {
      url,
      db: orm.em.getKysely<unknown>(),
      stop: () => stopServer(layout, pid),
      start: async () => {
        pid = await start()
      },
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      beside: async () => {
        const other = `beside${orms.length}`
        await sql`create database ${sql.id(other)} template template0`.execute(orm.em.getKysely())
        return { ...open(other), thaw: () => undefined, end: async () => undefined }
      },
      fillDisk: async () => {
        const filler = path.join(to, 'filler')
        const { bavail, bsize } = await statfs(to)
        // The server writes, too: what it takes between the two calls is missing here, and the disk is as full.
        await writeFile(filler, Buffer.alloc(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error
        })
        return () => rm(filler, { force: true })
      },
      end: async () => {
        for (const one of orms) await one.close(true)
        await stopServer(layout, pid)
        if (diskMb !== undefined) await run('umount', [to])
      },
    }
  }
  return open('tokenwire')
}

/** Whether no session runs a statement or holds a transaction open: what a killed service has sent may run until the server notices. */
export async function hasNoStatements(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle'`.execute(db)
  return rows.length === 0
}
