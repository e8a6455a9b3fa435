import { sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { OTHER_STATEMENTS, VIEWS_SCHEMA, viewStatements } from './viewStatements.ts'
import { VIEWS } from './views.ts'

/** Makes the views over the index in the connection's schema, in place of those that there are. To be called in a transaction. */
export async function createViews(db: Queryable): Promise<void> {
  // Views that others depend on stay. They can be replaced as long as their columns are the same.
  await sql`savepoint views`.execute(db)
  await dropViews(db).catch(() => sql`rollback to savepoint views`.execute(db))
  for (const statement of [...VIEWS.flatMap(viewStatements), ...OTHER_STATEMENTS]) await sql.raw(statement).execute(db)
}

/** Grants a role the right to read the views, and nothing else. */
export async function grantViews(db: Queryable, role: string): Promise<void> {
  await sql`grant usage on schema ${sql.id(VIEWS_SCHEMA)} to ${sql.id(role)}`.execute(db)
  await sql`grant select on all tables in schema ${sql.id(VIEWS_SCHEMA)} to ${sql.id(role)}`.execute(db)
}

/** The schema of the index that the views show; `null`: there are no views. */
export async function readViewedSchema(db: Queryable): Promise<string | null> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_rewrite join pg_depend on pg_depend.objid = pg_rewrite.oid and classid = 'pg_rewrite'::regclass
    join pg_class on pg_class.oid = refobjid and relname = 'trade' join pg_namespace on pg_namespace.oid = relnamespace
    where ev_class = to_regclass(${`${VIEWS_SCHEMA}.trades`}) limit 1`.execute(db)
  return rows[0]?.schema ?? null
}

/**
 * Has the views show the index in the connection's schema, where there are views, with the rights that roles have on them. To be called in
 * a transaction.
 */
export async function moveViews(db: Queryable): Promise<void> {
  if ((await readViewedSchema(db)) === null) return
  const roles = await readReaders(db)
  await createViews(db)
  for (const role of roles) await grantViews(db, role)
}

/** Drops the views, which would keep a migration from changing columns that they show. @throws when other views depend on them */
export async function dropViews(db: Queryable): Promise<void> {
  const names = [...VIEWS.map(({ name }) => name), 'indexed'].map(name => sql`${sql.id(VIEWS_SCHEMA, name)}`)
  await sql`drop view if exists ${sql.join(names)}`.execute(db)
}

/** The roles beside the owner that may use the schema. */
export async function readReaders(db: Queryable): Promise<readonly string[]> {
  const { rows } = await sql<{ role: string }>`
    select pg_get_userbyid(grantee) as role from pg_namespace cross join aclexplode(nspacl)
    where nspname = ${VIEWS_SCHEMA} and privilege_type = 'USAGE' and grantee not in (0, nspowner)`.execute(db)
  return rows.map(({ role }) => role)
}
