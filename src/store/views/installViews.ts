import { sql } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { toStartError } from '#store/connection/startError.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { isMigrated } from '#store/rows/identity.ts'
import { createViews, grantViews } from './createViews.ts'
import { VIEWS_SCHEMA } from './viewStatements.ts'

/** Limits against a reader's mistakes, not against attacks: a reader can change them for its own session. */
const LIMITS: Readonly<Record<string, string>> = {
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
  default_transaction_read_only: 'on',
  search_path: VIEWS_SCHEMA,
}
const MAX_CONNECTIONS = 5

interface Roles {
  readonly mayCreateRoles: boolean
  readonly exists: boolean
  /** Whether the role is the owner of the index, or may do what the owner may. */
  readonly mayWrite: boolean
  readonly mayCreateSchema: boolean
  /** The owner of the index's tables. */
  readonly owner: string
  readonly current: string
}

/**
 * Creates the views over the served index, and a role without a password that may read only them.
 *
 * @returns the schema of the index
 * @throws `TokenwireError` `config_invalid` with the statement that helps when this role may not create the other one, or a schema
 */
export async function installViews(url: string, role: string, logger: Logger): Promise<string> {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-views' })
  try {
    await requireDatabase(orm.em.getKysely(), { url, use: 'serve', logger })
    return await createTransaction(orm)(async db => {
      const roles = await readRoles(db, role)
      if (!(await isMigrated(db)))
        throw new TokenwireError('config_invalid', 'DATABASE_URL: start this version of the service first: it migrates the index')
      const missing = missingRight(roles, role)
      if (missing !== null) throw new TokenwireError('config_invalid', missing)
      await limitRole(db, role, roles)
      await sql`create schema if not exists ${sql.id(VIEWS_SCHEMA)} authorization ${sql.id(roles.owner)}`.execute(db)
      // Views read tables with the rights of their owner, who also has to drop them before a migration.
      if (roles.owner !== roles.current) await sql`set local role ${sql.id(roles.owner)}`.execute(db)
      await createViews(db)
      await grantViews(db, role)
      const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
      return rows[0]?.schema ?? ''
    })
  } catch (error) {
    throw toStartError(error, { url, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}

async function readRoles(db: Queryable, role: string): Promise<Roles> {
  const { rows } = await sql<Roles>`
    select rolcreaterole or rolsuper as "mayCreateRoles", exists (select from pg_roles where rolname = ${role}) as exists,
      exists (select from pg_roles as reader where rolname = ${role}
        and pg_has_role(reader.oid, (select relowner from pg_class where oid = to_regclass('trade')), 'member')) as "mayWrite",
      has_database_privilege(current_database(), 'create') or to_regnamespace(${VIEWS_SCHEMA}) is not null as "mayCreateSchema",
      (select pg_get_userbyid(relowner) from pg_class where oid = to_regclass('trade')) as owner, current_user::text as current
    from pg_roles where rolname = current_user`.execute(db)
  const [roles] = rows
  if (roles === undefined || roles.owner === null) throw new TokenwireError('config_invalid', 'The database has no index yet.')
  return roles
}

function missingRight({ mayCreateRoles, exists, mayWrite, mayCreateSchema, current }: Roles, role: string): string | null {
  if (mayWrite) return `role ${role} may write the index, which limits of a reader would keep it from; give another name`
  if (!exists && !mayCreateRoles)
    return `role ${current} may not create roles; as a superuser, run: create role ${role} login; then run this again`
  return mayCreateSchema
    ? null
    : `role ${current} may not create a schema; as a superuser, run: create schema ${VIEWS_SCHEMA} authorization ${current}`
}

/** Creates the role if need be, and limits it. Without the right to change roles, an existing one keeps its limits. */
async function limitRole(db: Queryable, role: string, { mayCreateRoles, exists }: Roles): Promise<void> {
  if (!exists) await sql`create role ${sql.id(role)} login`.execute(db)
  if (!mayCreateRoles) return
  await sql`alter role ${sql.id(role)} connection limit ${sql.lit(MAX_CONNECTIONS)}`.execute(db)
  for (const [name, value] of Object.entries(LIMITS))
    await sql`alter role ${sql.id(role)} set ${sql.id(name)} = ${sql.lit(value)}`.execute(db)
}
