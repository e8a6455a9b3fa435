import { sql } from 'kysely'
import type { Logger } from 'pino'
import { TokenwireError } from '#errors'
import { toStartError } from '#store/connection/databaseErrors.ts'
import { type Queryable, readCurrentSchema } from '#store/connection/databaseSchema.ts'
import { createOrm } from '#store/connection/orm.ts'
import { requireDatabase } from '#store/connection/requireDatabase.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { isMigrated } from '#store/rows/identity.ts'
import { columnName } from '#tables/columns.ts'
import { literal, type View, type ViewColumn, viewForm } from './view.ts'
import { VIEWS, VIEWS_VERSION } from './views.ts'

/** Creates the views over the index in the connection's schema, in place of the present ones. To be called in a transaction. */
async function createViews(db: Queryable): Promise<void> {
  // Views that others depend on stay. They can be replaced as long as their columns are the same.
  await sql`savepoint views`.execute(db)
  await dropViews(db).catch(() => sql`rollback to savepoint views`.execute(db))
  for (const statement of [...VIEWS.flatMap(viewStatements), ...OTHER_STATEMENTS]) await sql.raw(statement).execute(db)
}

/** Grants a role the right to read the views, and nothing else. */
async function grantViews(db: Queryable, role: string): Promise<void> {
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

/** The schema of the views: one per database, since they follow the served index. */
export const VIEWS_SCHEMA = 'tokenwire'

/** The name of a column in a view: `market_price_weth` for `market.priceWeth`. */
function nameOf({ name }: ViewColumn): string {
  return columnName(name.replaceAll('.', '_'))
}

/** The statements that create a view and its comments. They find tables by the `search_path`. */
function viewStatements(view: View): readonly string[] {
  const name = `${VIEWS_SCHEMA}.${view.name}`
  const columns = [
    ...view.columns.map(column => `${viewForm(column)} as ${nameOf(column)}`),
    ...Object.entries(view.keys).map(([key, sql]) => `${sql} as ${key}`),
  ]
  const where = view.where === undefined ? '' : ` where ${view.where}`
  return [
    `create or replace view ${name} as select ${columns.join(', ')} from ${view.from}${where}`,
    `comment on view ${name} is ${literal(view.meaning)}`,
    ...view.columns.map(column => `comment on column ${name}.${nameOf(column)} is ${literal(column.meaning)}`),
    ...Object.keys(view.keys).map(
      key =>
        `comment on column ${name}.${key} is ${literal(`The same as ${key.replace('_bytes', '')}, as an index finds it: compare it with ${VIEWS_SCHEMA}.bytes('0x…').`)}`,
    ),
  ]
}

/** The statements that create the functions beside the views, and the view of the newest indexed block. */
const OTHER_STATEMENTS: readonly string[] = [
  `create or replace function ${VIEWS_SCHEMA}.views_version() returns integer language sql immutable parallel safe return ${VIEWS_VERSION}`,
  `comment on function ${VIEWS_SCHEMA}.views_version() is 'Rises when a column goes or changes its meaning.'`,
  `create or replace function ${VIEWS_SCHEMA}.bytes(hex text) returns bytea language sql immutable strict parallel safe return decode(substr(hex, 3), 'hex')`,
  `comment on function ${VIEWS_SCHEMA}.bytes(text) is 'An address or hash that begins with 0x, to compare with the columns that end in _bytes.'`,
  `create or replace view ${VIEWS_SCHEMA}.indexed as select cursor_number as block_number, '0x' || encode(cursor_hash, 'hex') as block_hash,
    to_timestamp(cursor_timestamp) as block_time, chain_id from chain_state`,
  `comment on view ${VIEWS_SCHEMA}.indexed is 'One row: the newest indexed block, and the chain.'`,
]

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
      return { schema: await readCurrentSchema(db), missingLimits }
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
