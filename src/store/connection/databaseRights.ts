import { sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/** What the service does with a database. */
export type DatabaseUse =
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
  /** Whether the system's rules of order have changed since indexes of texts were built. */
  readonly isOrderOutdated: boolean
}

/** Reads the rights of a session whose `search_path` is as `configureSessions` sets it. */
export async function readRights(db: Queryable): Promise<DatabaseRights> {
  const { rows } = await sql<DatabaseRights>`
    with place as (select trim(split_part(current_setting('search_path'), ',', 1)) as schema),
      found as (select schema, to_regnamespace(schema) as namespace from place),
      stored as (select pg_class.oid as id, relowner from pg_class join found on relnamespace = namespace where relname = 'block_undo'),
      trigrams as (select extnamespace from pg_extension where extname = 'pg_trgm')
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
      exists (select from pg_database where datname = current_database()
        and datcollversion <> pg_database_collation_actual_version(oid)) as "isOrderOutdated"
    from found`.execute(db)
  const [rights] = rows
  if (rights === undefined) throw new TypeError('the database does not say what the role may do')
  return rights
}

/** The rights that the role lacks, and the statements that grant them, as one sentence; `null`: it lacks none. */
export function missingRights(rights: DatabaseRights, use: DatabaseUse): string | null {
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
