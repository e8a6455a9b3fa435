import { sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import { TokenwireError } from '#errors'
import type { Queryable } from '#store/connection/queryable.ts'
import type { Transaction } from '#store/connection/transaction.ts'
import { toBytes } from '#tables/toBytes.ts'

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
