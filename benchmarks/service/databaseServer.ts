import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'
import { treeUsage } from './processUsage.ts'

const silent = pino({ level: 'silent' })

/** The PostgreSQL of all contestants: Tokenwire's embedded one with its settings, so commits wait for the disk. */
export interface DatabaseServer {
  /** Creates a database: empty, or as a copy of another one that is not in use. @returns its URL */
  create(name: string, template?: string | null): Promise<string>
  drop(name: string): Promise<void>
  cpuMs(): Promise<number>
  stop(): Promise<void>
}

export async function startDatabaseServer(): Promise<DatabaseServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tokenwire-bench-'))
  const watchdog = startWatchdog()
  const server = await startEmbedded({ dataDir, logger: silent })
  watchdog.watchFile(server.postmasterFile, 'SIGQUIT')
  const urlOf = (database: string) => {
    const url = new URL(server.url)
    url.pathname = `/${database}`
    return url.href
  }
  const administer = (statement: RawBuilder<unknown>) => withDatabase(urlOf('postgres'), db => statement.execute(db))
  return {
    create: async (name, template = null) => {
      const copied = template === null ? sql`` : sql`template ${sql.id(prefixed(template))}`
      await administer(sql`create database ${sql.id(prefixed(name))} ${copied}`)
      return urlOf(prefixed(name))
    },
    drop: async name => void (await administer(sql`drop database if exists ${sql.id(prefixed(name))} with (force)`)),
    cpuMs: async () => (await treeUsage(server.pid))?.cpuMs ?? Number.NaN,
    stop: async () => {
      await server.stop()
      await watchdog.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A name that differs from the server's own databases. */
function prefixed(name: string): string {
  return `bench_${name}`
}

export async function withDatabase<T>(url: string, work: (db: Queryable) => Promise<T>): Promise<T> {
  const orm = createOrm(url, silent, { poolSize: 1, statementTimeoutMs: 0 })
  try {
    return await work(orm.em.getKysely<unknown>())
  } finally {
    await orm.close(true)
  }
}
