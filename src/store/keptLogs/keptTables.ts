import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { toBytes } from '#tables/columns.ts'

/*
 * Raw logs are kept in a schema of their own, which all indexes of a database share. It is not migrated: a version that packs them
 * otherwise takes another schema.
 */

export const KEPT_SCHEMA = 'tokenwire_logs'

/** The chain whose logs are kept. */
export interface KeptChain {
  readonly chainId: number
  readonly genesisHash: Hex
}

/** One advisory lock for all processes that create the tables. */
const CREATING = 0x6b657074

/**
 * Creates the tables where they are not there yet.
 *
 * @param setting the setting that has the database's URL, for errors
 * @throws `TokenwireError` `database_foreign` when they hold logs of another chain; the database's errors
 */
export async function createKeptTables(transaction: Transaction, chain: KeptChain, setting: string): Promise<void> {
  await transaction(async db => {
    await sql`select pg_advisory_xact_lock(${sql.lit(CREATING)})`.execute(db)
    if (!(await hasKeptTables(db))) {
      for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
      await sql`insert into tokenwire_logs.chain values (${chain.chainId}, ${toBytes(chain.genesisHash)})`.execute(db)
    }
    await requireKeptChain(db, chain, setting)
  })
}

export async function hasKeptTables(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('tokenwire_logs.chain') is not null as there`.execute(db)
  return rows[0]?.there === true
}

/** @throws `TokenwireError` `database_foreign` */
export async function requireKeptChain(db: Queryable, { chainId, genesisHash }: KeptChain, setting: string): Promise<void> {
  const { rows } = await sql<KeptChain>`select chain_id as "chainId", genesis_hash as "genesisHash" from tokenwire_logs.chain`.execute(db)
  const [kept] = rows
  if (kept?.chainId === chainId && kept.genesisHash === genesisHash) return
  const other = kept?.chainId === chainId ? `a chain ${chainId} that begins with another block` : `chain ${kept?.chainId}`
  const remedy = setting === 'DATABASE_URL' ? 'npm run db:logs -- drop removes them' : 'name a database of this chain, or none'
  throw new TokenwireError('database_foreign', `${setting}: its kept logs are of ${other}, and the RPC serves chain ${chainId}; ${remedy}`)
}

export async function dropKeptTables(db: Queryable): Promise<void> {
  await sql`drop schema if exists tokenwire_logs cascade`.execute(db)
}

export interface KeptTotals {
  readonly logs: number
  /** The number of kept senders of transactions and answers of contracts. */
  readonly facts: number
  /** The first and the last block of all kept ranges; `null`: no range is kept. */
  readonly from: number | null
  readonly to: number | null
  readonly bytes: number
}

export async function readKeptTotals(db: Queryable): Promise<KeptTotals> {
  const { rows } = await sql<KeptTotals>`
    select coalesce(sum(logs), 0)::bigint as logs, min(from_block) as "from", max(to_block) as "to",
      (select count(*) from tokenwire_logs.fact) as facts,
      (select sum(pg_total_relation_size(oid))::bigint from pg_class
        where relkind = 'r' and relnamespace = 'tokenwire_logs'::regnamespace) as bytes
    from tokenwire_logs.range`.execute(db)
  return rows[0] as KeptTotals
}

/**
 * The tables of `KeptRun` and `KeptRange`. `range.keys`: the keys (addresses, pool ids) that the run's filter gains with the range, each
 * with the first block whose logs are kept.
 */
const STATEMENTS = [
  `create schema ${KEPT_SCHEMA}`,
  `create table ${KEPT_SCHEMA}.chain (chain_id bigint not null, genesis_hash bytea not null)`,
  `create table ${KEPT_SCHEMA}.run (id bigint generated always as identity primary key, filter text not null)`,
  `create table ${KEPT_SCHEMA}.range (
    run bigint not null references ${KEPT_SCHEMA}.run on delete cascade,
    from_block bigint not null,
    to_block bigint not null,
    parent_hash bytea not null,
    hash bytea not null,
    keys bytea not null,
    logs integer not null,
    body bytea not null,
    primary key (run, from_block)
  )`,
  // The bodies are compressed already.
  `alter table ${KEPT_SCHEMA}.range alter column body set storage external`,
  `create table ${KEPT_SCHEMA}.fact (key bytea primary key, value bytea)`,
] as const

export interface KeptRange {
  readonly from: number
  /** Inclusive. */
  readonly to: number
  /** The hash of the block before `from`. */
  readonly parentHash: Hex
  /** The hash of the block `to`. */
  readonly hash: Hex
  /** The number of its logs. */
  readonly logs: number
}

/** Consecutive ranges of the logs that match one filter. */
export interface KeptRun {
  readonly id: number
  /** The filter as `filterText` writes it. */
  readonly filter: string
  /** Ascending. */
  readonly ranges: readonly KeptRange[]
  /** The keys that the filter lists, each with the first block from which on its logs are kept. */
  readonly keys: ReadonlyMap<Hex, number>
}

const BLOCK_BYTES = 8

/** All runs, without the logs. */
export async function readKeptRuns(db: Queryable): Promise<readonly KeptRun[]> {
  const runs = await sql<{ id: number; filter: string }>`select id, filter from tokenwire_logs.run order by id`.execute(db)
  const { rows } = await sql<KeptRange & { run: number; keys: Hex }>`
    select run, from_block as "from", to_block as "to", parent_hash as "parentHash", hash, logs, keys from tokenwire_logs.range
    order by run, from_block`.execute(db)
  const byRun = Map.groupBy(rows, ({ run }) => run)
  return runs.rows.map(({ id, filter }) => {
    const ranges = byRun.get(id) ?? []
    return { id, filter, ranges, keys: new Map(ranges.flatMap(({ keys }) => unpackKeys(keys))) }
  })
}

/** The packed logs of a range; `null`: the range is no longer kept. */
export async function readKeptBody(db: Queryable, run: number, from: number): Promise<Buffer | null> {
  // Base 64 is smaller than hex, into which the pool's parser turns every `bytea`.
  const { rows } = await sql<{ body: string }>`
    select encode(body, 'base64') as body from tokenwire_logs.range where run = ${run} and from_block = ${from}`.execute(db)
  return rows[0] === undefined ? null : Buffer.from(rows[0].body, 'base64')
}

export async function beginKeptRun(db: Queryable, filter: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`insert into tokenwire_logs.run (filter) values (${filter}) returning id`.execute(db)
  return Number(rows[0]?.id)
}

export interface NewRange extends KeptRange {
  readonly run: number
  /** The keys that are new to the run. */
  readonly keys: readonly (readonly [key: Hex, from: number])[]
  readonly body: Buffer
}

/** @returns whether the range was written: another process may have continued the run first */
export async function insertKeptRange(db: Queryable, range: NewRange): Promise<boolean> {
  const { run, from, to, parentHash, hash, keys, logs, body } = range
  const { numAffectedRows = 0n } = await sql`
    insert into tokenwire_logs.range (run, from_block, to_block, parent_hash, hash, keys, logs, body)
    values (${run}, ${from}, ${to}, ${toBytes(parentHash)}, ${toBytes(hash)}, ${packKeys(keys)}, ${logs}, ${body})
    on conflict do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** Writes each key as its length in bytes, its block and its bytes. */
function packKeys(keys: NewRange['keys']): Buffer {
  return Buffer.concat(
    keys.flatMap(([key, from]) => {
      const bytes = toBytes(key)
      const head = Buffer.alloc(BLOCK_BYTES + 1)
      head.writeUInt8(bytes.length)
      head.writeBigUInt64BE(BigInt(from), 1)
      return [head, bytes]
    }),
  )
}

function unpackKeys(packed: Hex): readonly (readonly [Hex, number])[] {
  const bytes = toBytes(packed)
  const keys: (readonly [Hex, number])[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt8(at)
    const from = Number(bytes.readBigUInt64BE(at + 1))
    const start = at + 1 + BLOCK_BYTES
    at = start + length
    keys.push([`0x${bytes.toString('hex', start, at)}`, from])
  }
  return keys
}

/** The kept values by their keys. A key without a kept value is left out. */
export async function readKeptFacts(db: Queryable, keys: readonly Hex[]): Promise<ReadonlyMap<Hex, Hex | null>> {
  const { rows } = await sql<{ key: Hex; value: Hex | null }>`
    select key, value from tokenwire_logs.fact where key = any(${keys.map(toBytes)}::bytea[])`.execute(db)
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function writeKeptFacts(db: Queryable, facts: ReadonlyMap<Hex, Hex | null>): Promise<void> {
  const values = [...facts.values()].map(value => (value === null ? null : toBytes(value)))
  await sql`insert into tokenwire_logs.fact select unnest(${[...facts.keys()].map(toBytes)}::bytea[]), unnest(${values}::bytea[])
    on conflict do nothing`.execute(db)
}
