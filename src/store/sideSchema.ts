import { sql } from 'kysely'
import type { LaunchpadConfig } from '#config'
import type { Queryable } from './connection/queryable.ts'
import { readListInSchema } from './rows/listInForce.ts'

/** PostgreSQL cuts names that are longer than 63 bytes. */
const MAX_NAME = 58

/** The schema of the side index, beside the index that this connection works with. */
export async function readSideSchema(db: Queryable): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
  return `${String(rows[0]?.schema).slice(0, MAX_NAME)}_side`
}

/** The right that the role lacks to create a side index, and the statement that grants it, as one sentence; `null`: it lacks none. */
export async function missingSideRight(db: Queryable): Promise<string | null> {
  const schema = await readSideSchema(db)
  const { rows } = await sql<{ may: boolean; role: string; database: string }>`
    select has_database_privilege(current_database(), 'create')
        or exists (select from pg_namespace where nspname = ${schema} and pg_has_role(nspowner, 'usage')) as may,
      quote_ident(current_user) as role, quote_ident(current_database()) as database`.execute(db)
  const [right] = rows
  if (right === undefined || right.may) return null
  const { role, database } = right
  return `role ${role} may not create a schema; as the owner of the database or a superuser, run there: grant create on database ${database} to ${role}`
}

/** Removes the side index, if there is one. */
export async function dropSideSchema(db: Queryable): Promise<void> {
  await sql`drop schema if exists ${sql.id(await readSideSchema(db))} cascade`.execute(db)
}

/** How far the side index has come. */
export interface SideProgress {
  readonly launchpads: readonly LaunchpadConfig[]
  /** The newest block of the side index; `null`: none. */
  readonly block: number | null
  /** The newest block of the index that it joins; `null`: none. */
  readonly target: number | null
}

/** `null`: there is no side index. */
export async function readSideProgress(db: Queryable): Promise<SideProgress | null> {
  const schema = await readSideSchema(db)
  const list = await readListInSchema(db, schema)
  if (list === null) return null
  const { rows } = await sql<Omit<SideProgress, 'launchpads'>>`select side.cursor_number as block, index.cursor_number as target
    from ${sql.id(schema, 'chain_state')} as side cross join chain_state as index`.execute(db)
  return rows[0] === undefined ? null : { launchpads: list.launchpads, ...rows[0] }
}
