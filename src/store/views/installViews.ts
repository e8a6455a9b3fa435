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
import { literal } from './forms.ts'
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
  /** Whether this role may change the other one, which since PostgreSQL 16 takes more than the right to create roles. */
  readonly mayAlter: boolean
  readonly exists: boolean
  /** Whether the role is the owner of the index, or may do what the owner may. */
  readonly mayWrite: boolean
  readonly mayCreateSchema: boolean
  /** Whether there is a schema for the views. */
  readonly isSchema: boolean
  /** The owner of the index's tables. */
  readonly owner: string
  readonly current: string
  /** The same, quoted where SQL needs it. */
  readonly shown: string
}

export interface InstalledViews {
  /** The schema of the index. */
  readonly schema: string
  /** The statements that limit the reader, where this role may not run them. */
  readonly missingLimits: readonly string[]
}

/**
 * Creates the views over the served index, and a role without a password that may read only them.
 *
 * @throws `TokenwireError` `config_invalid` with the statement that helps when this role may not create the other one, or a schema
 */
export async function installViews(url: string, role: string, logger: Logger): Promise<InstalledViews> {
  const orm = createOrm(url, logger, { poolSize: 2, applicationName: 'tokenwire-views' })
  try {
    await requireDatabase(orm.em.getKysely(), { url, use: 'serve', logger })
    return await createTransaction(orm)(async db => {
      const roles = await readRoles(db, role)
      if (!(await isMigrated(db)))
        throw new TokenwireError('config_invalid', 'DATABASE_URL: start this version of the service first: it migrates the index')
      const missing = missingRight(roles, role)
      if (missing !== null) throw new TokenwireError('config_invalid', missing)
      const missingLimits = await limitRole(db, role, roles)
      // "if not exists" would need the right to create it all the same.
      if (!roles.isSchema) await sql`create schema ${sql.id(VIEWS_SCHEMA)} authorization ${sql.id(roles.owner)}`.execute(db)
      // Views read tables with the rights of their owner, who also has to drop them before a migration.
      if (roles.owner !== roles.current) await sql`set local role ${sql.id(roles.owner)}`.execute(db)
      await createViews(db)
      await grantViews(db, role)
      const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
      return { schema: rows[0]?.schema ?? '', missingLimits }
    })
  } catch (error) {
    throw toStartError(error, { url, setting: 'DATABASE_URL' })
  } finally {
    await orm.close(true)
  }
}

async function readRoles(db: Queryable, role: string): Promise<Roles> {
  const { rows } = await sql<Roles>`
    select rolcreaterole or rolsuper as "mayCreateRoles",
      rolsuper or rolcreaterole and (current_setting('server_version_num')::integer < 160000 or exists (select from pg_roles as reader
        where rolname = ${role} and pg_has_role(reader.oid, 'member with admin option'))) as "mayAlter", exists (select from pg_roles where rolname = ${role}) as exists,
      exists (select from pg_roles as reader where rolname = ${role}
        and pg_has_role(reader.oid, (select relowner from pg_class where oid = to_regclass('trade')), 'member')) as "mayWrite",
      has_database_privilege(current_database(), 'create') as "mayCreateSchema", to_regnamespace(${VIEWS_SCHEMA}) is not null as "isSchema",
      (select pg_get_userbyid(relowner) from pg_class where oid = to_regclass('trade')) as owner, current_user::text as current,
      quote_ident(current_user) as shown
    from pg_roles where rolname = current_user`.execute(db)
  const [roles] = rows
  if (roles === undefined || roles.owner === null) throw new TokenwireError('config_invalid', 'The database has no index yet.')
  return roles
}

function missingRight({ mayCreateRoles, exists, mayWrite, mayCreateSchema, isSchema, shown }: Roles, role: string): string | null {
  if (mayWrite) return `role ${role} may write the index, which limits of a reader would keep it from; give another name`
  if (!exists && !mayCreateRoles)
    return `role ${shown} may not create roles; as a superuser, run: create role ${role} login; then run this again`
  return mayCreateSchema || isSchema
    ? null
    : `role ${shown} may not create a schema; as a superuser, run: create schema ${VIEWS_SCHEMA} authorization ${shown}`
}

/**
 * Creates the role if need be, and limits it.
 *
 * @returns the statements that limit it and that this role may not run; none: it is limited
 */
async function limitRole(db: Queryable, role: string, { mayAlter, exists }: Roles): Promise<readonly string[]> {
  if (!exists) await sql`create role ${sql.id(role)} login`.execute(db)
  const limits = [
    `alter role "${role}" connection limit ${MAX_CONNECTIONS}`,
    ...Object.entries(LIMITS).map(([name, value]) => `alter role "${role}" set ${name} = ${literal(value)}`),
  ]
  if (exists && !mayAlter) return limits
  for (const limit of limits) await sql.raw(limit).execute(db)
  return []
}
