import { randomBytes } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import pino from 'pino'
import { inject } from 'vitest'
import { createOrm, type OrmOptions } from '#store/connection/orm.ts'
import { MIGRATION_OPTIONS } from '#store/migrations/migrations.ts'
import { ENTITIES } from '#tables/entities.ts'
import { closeAfterFile } from './closeAfterFile.ts'
import { POLL_LIMIT_MS } from './limits.ts'

export interface TestDatabase {
  /** With user and password. */
  readonly url: string
  readonly orm: MikroORM
  readonly kysely: Kysely<unknown>
  /** Empties every table, for few rows twenty times as fast as `truncate`, which creates new files for every table and index. */
  clear(): Promise<void>
}

export interface TestDatabaseOptions {
  /** Default true; false: an empty database without the schema. */
  readonly migrated?: boolean
  /** A database of the run that is copied. It must have no connections. Default: an empty one. */
  readonly copyOf?: Pick<TestDatabase, 'url'>
}

const TABLES = ENTITIES.map(({ meta }) => meta.tableName)

export const silentLogger = pino({ level: 'silent' })

/** Where nothing is wrong a busy machine takes longer than the service waits: for a connection, for the copy of a database. */
const PATIENT: OrmOptions = { connectTimeoutMs: POLL_LIMIT_MS, statementTimeoutMs: POLL_LIMIT_MS, lockTimeoutMs: POLL_LIMIT_MS }

/** An ORM that is closed at the end of the test file. */
export function openOrm(url: string, limits: OrmOptions = {}): MikroORM {
  const orm = createOrm(url, silentLogger, { ...PATIENT, ...limits }, { ...MIGRATION_OPTIONS, entities: ENTITIES })
  closeAfterFile(() => orm.close(true))
  return orm
}

/**
 * A database for one test file on the run's server: `const database = await useDatabase()` at the top level of the file, or in a test.
 * It is dropped at the end of the file.
 */
export async function useDatabase({ migrated = true, copyOf }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const templateUrl = inject('templateUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = migrated || copyOf !== undefined ? new URL(copyOf?.url ?? templateUrl).pathname.slice(1) : 'template0'
  // Without it the copy goes through the write-ahead log, and takes five times the processor time.
  await administer(sql`create database ${sql.id(name)} template ${sql.id(template)} strategy file_copy`)
  const url = databaseUrl(name)
  closeAfterFile(() => administer(sql`drop database if exists ${sql.id(name)} with (force)`))
  const orm = openOrm(url)
  const kysely = orm.em.getKysely<unknown>()
  return {
    url,
    orm,
    kysely,
    clear: () => clearTables(kysely),
  }
}

/** Empties the tables of the connections' schema. */
export async function clearTables(kysely: Kysely<unknown>): Promise<void> {
  const emptied = TABLES.map((table, index) => sql`${sql.id(`t${index}`)} as (delete from ${sql.table(table)})`)
  await sql`with ${sql.join(emptied)} select 1`.execute(kysely)
}

/** The address of another database on the run's server. */
export function databaseUrl(name: string): string {
  const url = new URL(inject('templateUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** Runs a statement as superuser, outside the test databases. */
export async function administer(statement: ReturnType<typeof sql>): Promise<void> {
  const orm = createOrm(databaseUrl('postgres'), silentLogger, { ...PATIENT, poolSize: 1 })
  try {
    await statement.execute(orm.em.getKysely())
  } finally {
    await orm.close(true)
  }
}
