import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import { unusedParameters } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { type DatabaseSetting, startError } from './databaseErrors.ts'
import type { Queryable } from './databaseSchema.ts'

const OLDEST_SERVER = 15

export interface RequiredDatabase {
  readonly url: string
  readonly use: DatabaseUse
  readonly logger: Logger
}

/**
 * Refuses at the start a database that the service can't use, with the setting or the statement that helps.
 *
 * @param db a pool of two connections or more
 * @throws `TokenwireError`: `database_unavailable` (retryable) when the server can't be reached or takes no writes, else `config_invalid`
 */
export async function requireDatabase(db: Kysely<unknown>, { url, use, logger }: RequiredDatabase): Promise<void> {
  const setting = use === 'replica' ? 'DATABASE_READ_URL' : 'DATABASE_URL'
  try {
    await requireServer(db, setting)
    await requireSessions(db, setting)
    const rights = await readRights(db)
    if (use === 'serve' && rights.isStandby) throw standbyError()
    if (use === 'index' && rights.isReadOnly) throw Object.assign(new Error('its transactions are read-only'), { code: '25006' })
    const missing = missingRights(rights, use)
    if (missing !== null) throw new TokenwireError('config_invalid', `${setting}: ${missing}`)
    const unused = unusedParameters(url)
    if (unused.length > 0) logger.warn(`${setting}: ${unusedSentence(unused)}`)
    if (use !== 'index') return
    if (rights.writers.length > 0) logger.warn(otherWriters(rights))
    if (!rights.foldsLetters) logger.warn(PLAIN_LETTERS)
    if (rights.isOrderOutdated) logger.warn(outdatedOrder(rights.database))
  } catch (error) {
    throw startError(error, { url, setting })
  }
}

const PLAIN_LETTERS =
  'DATABASE_URL: the locale of the database does not fold letters as Unicode does, so that search tells upper from lower case in some names; ' +
  "a database made with locale 'C.UTF-8' does not"

/** After an update of the operating system's collations, an index may miss texts that the table has. */
function outdatedOrder(database: string): string {
  const remedy = `reindex database ${database}; alter database ${database} refresh collation version`
  return `DATABASE_URL: the system orders texts otherwise than when the database was created; as its owner, run there: ${remedy}`
}

/** Roles of others that may write, as on managed services whose own API reaches each table of the schema `public`. */
function otherWriters({ writers, schema }: DatabaseRights): string {
  const [names, rights] = [writers.join(', '), 'insert, update, delete, truncate']
  return (
    `DATABASE_URL: ${names} may change the tables of this service, and what is written there is served; unless that is meant, run as their owner: ` +
    `revoke ${rights} on all tables in schema ${schema} from ${names}; ` +
    `alter default privileges in schema ${schema} revoke ${rights} on tables from ${names}`
  )
}

function unusedSentence(unused: readonly string[]): string {
  const schema = unused.some(name => /schema|search_?path/i.test(name)) ? '; SCHEMA names the schema of the tables' : ''
  return `this service makes no use of ${unused.join(', ')} in the address${schema}`
}

async function requireServer(db: Queryable, setting: DatabaseSetting): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_encoding') as encoding`.execute(db)
  const { version = 0, encoding = '' } = rows[0] ?? {}
  if (version < OLDEST_SERVER) {
    throw new TokenwireError(
      'config_invalid',
      `${setting}: the server is PostgreSQL ${version}; version ${OLDEST_SERVER} or newer is needed`,
    )
  }
  if (encoding === 'UTF8') return
  const remedy = "create another one: create database tokenwire template template0 encoding 'UTF8' locale 'C.UTF-8'"
  throw new TokenwireError(
    'config_invalid',
    `${setting}: the database has the encoding ${encoding}, and names of tokens need UTF8; ${remedy}`,
  )
}

/** The error is retryable, since the standby may be about to become the primary. */
function standbyError(): TokenwireError {
  const sentence = 'the server is a standby, which announces no commits; give its primary here, and the standby as DATABASE_READ_URL'
  return new TokenwireError('database_unavailable', `DATABASE_URL: ${sentence}`, { retryable: true })
}

/** What the service does with a database. */
type DatabaseUse =
  /** Creates its tables and writes them. */
  | 'index'
  /** Reads its tables and is notified of commits. */
  | 'serve'
  /** Reads the tables of a replica. */
  | 'replica'

/** What a role may do in a database. Names are quoted where SQL needs it. */
export interface DatabaseRights {
  readonly role: string
  readonly database: string
  /** The schema of the service's tables, or the one in which they would be created. */
  readonly schema: string
  /** Whether the schema exists. */
  readonly isSchema: boolean
  readonly mayUseSchema: boolean
  readonly mayCreate: boolean
  /** Who owns the service's tables; `null`: there are none. */
  readonly owner: string | null
  readonly isOwner: boolean
  readonly mayRead: boolean
  /** Whether policies of row-level security apply to this role. */
  readonly isFiltered: boolean
  /** The schema of the extension pg_trgm; `null`: it is not created in this database. */
  readonly trigrams: string | null
  readonly mayUseTrigrams: boolean
  readonly areTrigramsOffered: boolean
  /** Whether the role may create schemas, and so this extension, which PostgreSQL trusts. */
  readonly mayCreateTrigrams: boolean
  readonly isReadOnly: boolean
  readonly isStandby: boolean
  /** Whether `lower` folds letters as Unicode does. */
  readonly foldsLetters: boolean
  /** The other roles that may write the service's tables, or those that the role will create. */
  readonly writers: readonly string[]
  /** Whether the system's rules of order have changed since indexes of texts were built. */
  readonly isOrderOutdated: boolean
}

/** Reads the rights of a session whose `search_path` is as `configureSessions` sets it. */
async function readRights(db: Queryable): Promise<DatabaseRights> {
  const { rows } = await sql<DatabaseRights>`
    with place as (select trim(split_part(current_setting('search_path'), ',', 1)) as schema),
      found as (select schema, to_regnamespace(schema) as namespace from place),
      stored as (select pg_class.oid as id, relowner from pg_class join found on relnamespace = namespace where relname = 'block_undo'),
      trigrams as (select extnamespace from pg_extension where extname = 'pg_trgm'),
      granted as (select relowner as owner, relacl as acl from pg_class where oid = (select id from stored)
        union all select defaclrole, defaclacl from pg_default_acl, found
        where defaclobjtype = 'r' and defaclrole = quote_ident(current_user)::regrole and defaclnamespace in (0, namespace)),
      writers as (select distinct grantee from granted, aclexplode(acl)
        where privilege_type in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') and grantee <> owner
          and (grantee = 0 or not pg_has_role(grantee, 'usage')))
    select quote_ident(current_user) as role, quote_ident(current_database()) as database, schema, namespace is not null as "isSchema",
      coalesce(has_schema_privilege(namespace, 'usage'), false) as "mayUseSchema",
      coalesce(has_schema_privilege(namespace, 'create'), false) as "mayCreate",
      (select quote_ident(pg_get_userbyid(relowner)) from stored) as owner,
      coalesce((select pg_has_role(relowner, 'usage') from stored), false) as "isOwner",
      coalesce((select has_table_privilege(id, 'select') from stored), false) as "mayRead",
      coalesce((select row_security_active(id) from stored), false) as "isFiltered",
      (select extnamespace::regnamespace::text from trigrams) as trigrams,
      coalesce((select has_schema_privilege(extnamespace, 'usage') from trigrams), false) as "mayUseTrigrams",
      exists (select from pg_available_extensions where name = 'pg_trgm') as "areTrigramsOffered",
      has_database_privilege(current_database(), 'create') as "mayCreateTrigrams",
      current_setting('transaction_read_only')::boolean as "isReadOnly", pg_is_in_recovery() as "isStandby",
      lower('ÀI') = 'ài' as "foldsLetters",
      array(select case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as name
        from writers order by name) as writers,
      exists (select from pg_database where datname = current_database()
        and datcollversion <> pg_database_collation_actual_version(oid)) as "isOrderOutdated"
    from found`.execute(db)
  const [rights] = rows
  if (rights === undefined) throw new TypeError('the database does not say what the role may do')
  return rights
}

/** The rights that the role lacks, and the statements that grant them, as one sentence; `null`: it lacks none. */
function missingRights(rights: DatabaseRights, use: DatabaseUse): string | null {
  const { role, database, schema, owner, trigrams } = rights
  if (!rights.isSchema) return `there is no schema ${schema} in database ${database}: create schema ${schema} authorization ${role}`
  const writes = use === 'index'
  if (writes && trigrams === null && !rights.areTrigramsOffered) return NOT_OFFERED
  const missing: readonly (readonly [isMissing: boolean, what: string, remedy: string])[] = [
    [!rights.mayUseSchema, `use schema ${schema}`, `grant usage on schema ${schema} to ${role}`],
    [writes && owner === null && !rights.mayCreate, 'create tables', `grant create on schema ${schema} to ${role}`],
    [writes && owner !== null && !rights.isOwner, 'change the tables', `grant ${owner} to ${role}`],
    [!writes && owner !== null && !rights.mayRead, 'read the tables', `grant select on all tables in schema ${schema} to ${role}`],
    [owner !== null && rights.isFiltered, 'see all rows', `alter role ${role} bypassrls`],
    [writes && trigrams === null && !rights.mayCreateTrigrams, 'create the extension pg_trgm', 'create extension pg_trgm'],
    [trigrams !== null && !rights.mayUseTrigrams, 'use the extension pg_trgm', `grant usage on schema ${trigrams} to ${role}`],
  ]
  const found = missing.filter(([isMissing]) => isMissing)
  if (found.length === 0) return null
  const [what, remedies] = [found.map(([, one]) => one).join(', nor '), found.map(([, , remedy]) => remedy).join('; ')]
  return `role ${role} may not ${what} in database ${database}; as the owner of the database or a superuser, run there: ${remedies}`
}

const NOT_OFFERED =
  "the server does not offer the extension pg_trgm: install PostgreSQL's contrib package on it, or allow the extension in the settings of a managed server"

/** One attempt may miss a pooler: it may happen to give the same session twice, and other clients come in between. */
const ATTEMPTS = 3

/**
 * Refuses a pooler that gives a client another session with each transaction, such as PgBouncer with `pool_mode = transaction`: locks,
 * settings and prepared statements of a session would reach another client.
 *
 * @param db a pool of two connections or more
 * @param setting what names the database
 * @throws `TokenwireError` `config_invalid`
 */
async function requireSessions(db: Kysely<unknown>, setting: DatabaseSetting): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const isShared = await isSessionShared(db).catch((error: unknown) => {
      throw isStatementPooling(error) ? refusal(setting, error) : error
    })
    if (isShared) throw refusal(setting)
  }
}

/** Whether a client is given another session, or a second client finds what the first one has set in its session. */
async function isSessionShared(db: Kysely<unknown>): Promise<boolean> {
  const mark = randomUUID()
  return db.connection().execute(async first => {
    await sql`set tokenwire.session = ${sql.lit(mark)}`.execute(first)
    return db.connection().execute(async second => {
      await sql`begin`.execute(second)
      // The second client's transaction keeps its session. Where sessions are shared, the first client is then given another one.
      const isShared = (await markOf(second)) === mark || (await markOf(first)) !== mark
      await sql`rollback`.execute(second)
      return isShared
    })
  })
}

async function markOf(session: Kysely<unknown>): Promise<string | null> {
  const { rows } = await sql<{ mark: string | null }>`select current_setting('tokenwire.session', true) as mark`.execute(session)
  return rows[0]?.mark ?? null
}

/** With `pool_mode = statement` a pooler refuses transactions. */
function isStatementPooling(error: unknown): boolean {
  return error instanceof Error && error.message.includes('statement pooling')
}

function refusal(setting: string, cause?: unknown): TokenwireError {
  return new TokenwireError(
    'config_invalid',
    `${setting}: a pooler in transaction mode stands before PostgreSQL, such as PgBouncer with pool_mode = transaction; ` +
      'set pool_mode = session for this database, or connect to PostgreSQL itself',
    { cause },
  )
}
