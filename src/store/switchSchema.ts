import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Logger } from 'pino'
import type { LaunchpadConfig } from '#config'
import type { Hex } from '#domain/address.ts'
import { withoutSchema, withSchema } from '#domain/databaseUrl.ts'
import { TokenwireError } from '#errors'
import { toBytes } from '#tables/columns.ts'
import { toStartError } from './connection/databaseErrors.ts'
import { hasTable, MARKED_TABLE, type Queryable, readCurrentSchema, readServedSchema, SERVED_MARK } from './connection/databaseSchema.ts'
import { createOrm } from './connection/orm.ts'
import { requireDatabase } from './connection/requireDatabase.ts'
import { createTransaction, type TransactionDb } from './connection/transaction.ts'
import { announceCommit } from './rows/announcement.ts'
import { readIdentity } from './rows/identity.ts'
import { readListInSchema } from './rows/listInForce.ts'
import { copyWebhooks } from './rows/webhookPositions.ts'
import { moveViews } from './views/installViews.ts'

/** How long a switch waits for the new index to reach the served one, and how far behind the new one may be. */
const PATIENCE_MS = 30_000
const MAX_BEHIND_BLOCKS = 1_000
const LOOK_EVERY_MS = 50
/** The most sequences that are raised in one transaction. */
const CHUNK_TOKENS = 5_000

export interface Switched {
  /** The schema that was served before. */
  readonly from: string
  /** The newest block of the index that is served now; `null`: it has none. */
  readonly block: number | null
}

interface Place {
  readonly number: number | null
  readonly hash: Hex | null
  readonly timestamp: number | null
}

/**
 * Makes the index in a schema the served one, in one transaction, once it has every block of the old one. From then on the old index's
 * writer can't commit. Each token's sequence is higher in the new index than in the old one, and positions on channels stay valid.
 *
 * @throws `TokenwireError` `config_invalid` when there is no index of this version in the schema, `database_foreign` when it is of another
 *   chain, retryable `database_unavailable` when it does not reach the served index in half a minute
 */
export async function switchSchema(databaseUrl: string, to: string, logger: Logger): Promise<Switched> {
  const url = withoutSchema(databaseUrl)
  const limits = { poolSize: 2, applicationName: 'tokenwire-switch', statementTimeoutMs: 0 }
  const orm = createOrm(url, logger, limits)
  const target = createOrm(withSchema(url, to), logger, limits)
  try {
    const db = orm.em.getKysely<unknown>()
    await requireDatabase(db, { url, use: 'serve', logger })
    const from = await readServedSchema(db)
    await requireSameIndex(db, target.em.getKysely<unknown>(), { from, to })
    if (from === to) {
      await mark(db, to)
      return { from, block: (await readPlace(db, to)).number }
    }
    const transaction = createTransaction(target)
    await raiseAhead(transaction, { from, to })
    const block = await switchWhenReached(transaction, { from, to })
    await followWithViews(transaction, to)
    return { from, block }
  } catch (error) {
    throw toStartError(error, { url, setting: 'DATABASE_URL' })
  } finally {
    await Promise.all([orm.close(true), target.close(true)])
  }
}

/** Runs after the switch and outside of its transaction, where a reader's long statement would hold up the index's commits. */
async function followWithViews(transaction: ReturnType<typeof createTransaction>, to: string): Promise<void> {
  try {
    await transaction(db => moveViews(db))
  } catch (cause) {
    const message = `Schema ${to} is served now, but the views still show the other index: run npm run db:views.`
    throw new TokenwireError('database_unavailable', message, { retryable: true, cause })
  }
}

interface Schemas {
  readonly from: string
  readonly to: string
}

async function requireSameIndex(db: Kysely<unknown>, target: Kysely<unknown>, { from, to }: Schemas): Promise<void> {
  if (!(await hasTable(db, to, MARKED_TABLE))) {
    throw new TokenwireError('config_invalid', `There is no index in schema ${to}. SCHEMA=${to} npm start builds one there.`)
  }
  const wanted = await readIdentity(target)
  if (wanted === null) {
    throw new TokenwireError(
      'config_invalid',
      `The index in schema ${to} is of an older version of Tokenwire: start this version on it first.`,
    )
  }
  if (from === to) return
  if (!(await hasTable(db, from, MARKED_TABLE)))
    throw new TokenwireError('config_invalid', `There is no index in schema ${from} to switch from.`)
  const { rows } = await sql<{ isSame: boolean }>`
    select (a.chain_id, a.genesis_hash, a.weth) = (b.chain_id, b.genesis_hash, b.weth) as "isSame"
    from ${sql.id(from, 'chain_state')} as a, ${sql.id(to, 'chain_state')} as b`.execute(db)
  if (rows[0]?.isSame === false) {
    throw new TokenwireError('database_foreign', `The index in schema ${to} is of another chain, or of another WETH, than that in ${from}.`)
  }
}

/** Raises most sequences before the switch, in small transactions, so that the switch's own transaction is short. */
async function raiseAhead(transaction: ReturnType<typeof createTransaction>, schemas: Schemas): Promise<void> {
  for (let raised = CHUNK_TOKENS; raised === CHUNK_TOKENS; ) {
    raised = await transaction(async db => {
      await lock(db, schemas.to)
      return raiseSequences(db, schemas, CHUNK_TOKENS)
    })
  }
}

/** Raises each sequence in `to` that is not above the one in `from`, at most `limit` of them. @returns how many were raised */
async function raiseSequences(db: Queryable, { from, to }: Schemas, limit: number | null): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ${sql.id(to, 'token')} as raised set sequence = below.sequence + 1 from (
      select old.address, old.sequence from ${sql.id(from, 'token')} as old join ${sql.id(to, 'token')} as new using (address)
      where new.sequence <= old.sequence limit ${limit}
    ) as below where raised.address = below.address`.execute(db)
  return Number(numAffectedRows)
}

async function lock(db: Queryable, schema: string): Promise<void> {
  await sql`select from ${sql.id(schema, 'chain_state')} for update`.execute(db)
}

async function readPlace(db: Queryable, schema: string): Promise<Place> {
  const { rows } = await sql<Place>`
    select cursor_number as number, cursor_hash as hash, cursor_timestamp as timestamp from ${sql.id(schema, 'chain_state')}`.execute(db)
  return rows[0] ?? { number: null, hash: null, timestamp: null }
}

/** Switches as soon as the new index has the newest block of the old one. Both writers go on committing meanwhile. */
async function switchWhenReached(transaction: ReturnType<typeof createTransaction>, schemas: Schemas): Promise<number | null> {
  const untilMs = performance.now() + PATIENCE_MS
  for (;;) {
    const { isDone, places } = await transaction(db => switchIfReached(db, schemas))
    if (isDone) return places.to.number
    const behind = (places.from.number ?? 0) - (places.to.number ?? 0)
    if (behind > MAX_BEHIND_BLOCKS || performance.now() > untilMs) {
      const sentence =
        behind > 0
          ? `is ${behind} blocks behind the one in ${schemas.from}; switch when it has reached that`
          : `has another block ${places.from.number} than the one in ${schemas.from}; switch when both follow the same branch of the chain`
      throw new TokenwireError('database_unavailable', `The index in schema ${schemas.to} ${sentence}.`, { retryable: true })
    }
    await delay(LOOK_EVERY_MS)
  }
}

async function switchIfReached(db: TransactionDb, schemas: Schemas) {
  const { from, to } = schemas
  await lock(db, from)
  await lock(db, to)
  const places = { from: await readPlace(db, from), to: await readPlace(db, to) }
  if (!(await hasReached(db, to, places))) return { isDone: false, places }
  // The old index's writer learns with its next commit that it may no longer write.
  await sql`update ${sql.id(from, 'chain_state')} set writer = null`.execute(db)
  await raiseSequences(db, schemas, null)
  await keepPositions(db, schemas, places.to.number)
  await copyWebhooks(db, schemas)
  await mark(db, to)
  await sql`comment on table ${sql.id(from, MARKED_TABLE)} is null`.execute(db)
  const { number, hash, timestamp } = places.to
  if (number !== null && hash !== null) await announceCommit(db, { number, hash, timestamp: timestamp ?? 0 }, null)
  return { isDone: true, places }
}

async function hasReached(db: Queryable, to: string, places: { readonly from: Place; readonly to: Place }): Promise<boolean> {
  const { number, hash } = places.from
  if (number === null || hash === null) return true
  if (places.to.number === null || places.to.number < number) return false
  const { rows } = await sql`
    select from ${sql.id(to, 'block')} where number = ${number} and hash = ${toBytes(hash)}`.execute(db)
  return rows.length > 0
}

/**
 * A position on a channel has the number of the newest reorg. The new index takes over the old one's reorgs. If its own numbers were
 * higher, it keeps the highest one as a reorg of no indexed block, so that positions of both stay valid.
 */
async function keepPositions(db: Queryable, { from, to }: Schemas, newest: number | null): Promise<void> {
  const [old, own] = [sql.id(from, 'reorg'), sql.id(to, 'reorg')]
  const { rows } = await sql<{ last: number | null }>`select max(number) as last from ${own}`.execute(db)
  await sql`delete from ${own}`.execute(db)
  await sql`insert into ${own} select * from ${old}`.execute(db)
  await sql`insert into ${own} (number, from_block) select ${rows[0]?.last ?? 0}::bigint, ${(newest ?? 0) + 1}::bigint
    where ${rows[0]?.last ?? 0}::bigint > (select coalesce(max(number), 0) from ${old})`.execute(db)
}

async function mark(db: Queryable, schema: string): Promise<void> {
  await sql`comment on table ${sql.id(schema, MARKED_TABLE)} is ${sql.lit(SERVED_MARK)}`.execute(db)
}

/** PostgreSQL cuts names that are longer than 63 bytes. */
const MAX_NAME = 58

/** The schema of the side index, beside the index that this connection works with. */
export async function readSideSchema(db: Queryable): Promise<string> {
  return `${(await readCurrentSchema(db)).slice(0, MAX_NAME)}_side`
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
