import { sql } from 'kysely'
import { CURRENT_SCHEMA } from './connection/databaseSchema.ts'
import type { Queryable } from './connection/queryable.ts'

/** PostgreSQL cuts longer names than 63 bytes. */
const MAX_NAME = 58

/** The schema of the side index of the index that this connection works with. */
export async function readSideSchema(db: Queryable): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select (parse_ident(${CURRENT_SCHEMA}))[1] as schema`.execute(db)
  return `${String(rows[0]?.schema).slice(0, MAX_NAME)}_side`
}

/** Removes the side index, if there is one. */
export async function dropSideSchema(db: Queryable): Promise<void> {
  await sql`drop schema if exists ${sql.id(await readSideSchema(db))} cascade`.execute(db)
}
