import { sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { OTHER_STATEMENTS, VIEWS_SCHEMA, viewStatements } from './viewStatements.ts'
import { VIEWS } from './views.ts'

/** Creates the views over the index in the connection's schema, in place of the present ones. To be called in a transaction. */
export async function createViews(db: Queryable): Promise<void> {
  // Views that others depend on stay. They can be replaced as long as their columns are the same.
  await sql`savepoint views`.execute(db)
  await dropViews(db).catch(() => sql`rollback to savepoint views`.execute(db))
  for (const statement of [...VIEWS.flatMap(viewStatements), ...OTHER_STATEMENTS]) await sql.raw(statement).execute(db)
}

/** Grants a role the right to read the views, and nothing else. */
export async function grantViews(db: Queryable, role: string): Promise<void> {
  await sql`grant usage on schema ${sql.id(VIEWS_SCHEMA)} to ${sql.id(role)}`.execute(db)
  // Not on all tables of the schema, which may be that of the index, too.
  await sql`grant select on ${sql.join(viewNames())} to ${sql.id(role)}`.execute(db)
}

/** The schema of the index that the views show; `null`: there are no views. */
export async function readViewedSchema(db: Queryable): Promise<string | null> {
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_rewrite join pg_depend on pg_depend.objid = pg_rewrite.oid and classid = 'pg_rewrite'::regclass
    join pg_class on pg_class.oid = refobjid and relname = 'trade' join pg_namespace on pg_namespace.oid = relnamespace
    where ev_class = to_regclass(${`${VIEWS_SCHEMA}.trades`}) limit 1`.execute(db)
  return rows[0]?.schema ?? null
}

/** Has the views, where there are any, show the index in the connection's schema. To be called in a transaction. */
export async function moveViews(db: Queryable): Promise<void> {
  if ((await readViewedSchema(db)) !== null) await renewViews(db)
}

/** Creates the views as `createViews`, and grants them to the roles that could read them. To be called in a transaction. */
export async function renewViews(db: Queryable): Promise<void> {
  const roles = await readReaders(db)
  await createViews(db)
  for (const role of roles) await grantViews(db, role)
}

/** Drops the views, since no migration can change a column that a view shows. @throws when other views depend on them */
export async function dropViews(db: Queryable): Promise<void> {
  await sql`drop view if exists ${sql.join(viewNames())}`.execute(db)
}

function viewNames() {
  return [...VIEWS.map(({ name }) => name), 'indexed'].map(name => sql.id(VIEWS_SCHEMA, name))
}

/** The roles, besides the owner, that may use the views' schema. */
async function readReaders(db: Queryable): Promise<readonly string[]> {
  const { rows } = await sql<{ role: string }>`
    select pg_get_userbyid(grantee) as role from pg_namespace cross join aclexplode(nspacl)
    where nspname = ${VIEWS_SCHEMA} and privilege_type = 'USAGE' and grantee not in (0, nspowner)`.execute(db)
  return rows.map(({ role }) => role)
}
