import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockHeader, ChainLog } from '#domain/block.ts'
import { getOrInsert } from '#domain/maps.ts'
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
const IS_OF_LAUNCHPADS = sql`filter::jsonb ? 'launchpads'`

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
    await sql`delete from tokenwire_logs.run where not ${IS_OF_LAUNCHPADS}`.execute(db)
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

/** The tables of `KeptRun` and `KeptRange`. `run.filter`: a `LogsOfRun`. `range.keys`: the keys that the run gains with the range. */
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

/** Which logs the ranges of a run have. */
export interface LogsOfRun {
  /** Texts of the launchpads, as `keptLaunchpad` makes them. */
  readonly launchpads: readonly string[]
  /** Whether the logs were held against the receipts of their blocks. */
  readonly isProven: boolean
}

/** Consecutive ranges of all logs of some launchpads. */
export interface KeptRun extends LogsOfRun {
  readonly id: number
  /** Ascending. */
  readonly ranges: readonly KeptRange[]
  /** The addresses and pool ids that were watched, each with the first block from which on its logs are kept. */
  readonly keys: ReadonlyMap<Hex, number>
}

const BLOCK_BYTES = 8

/** All runs, without the logs. Those of 1.0.0 are left out, which kept logs by other filters. */
export async function readKeptRuns(db: Queryable): Promise<readonly KeptRun[]> {
  const runs = await sql<{ id: number; filter: string }>`
    select id, filter from tokenwire_logs.run where ${IS_OF_LAUNCHPADS} order by id`.execute(db)
  const { rows } = await sql<KeptRange & { run: number; keys: Hex }>`
    select run, from_block as "from", to_block as "to", parent_hash as "parentHash", hash, logs, keys from tokenwire_logs.range
    order by run, from_block`.execute(db)
  const byRun = Map.groupBy(rows, ({ run }) => run)
  return runs.rows.map(({ id, filter }) => {
    const ranges = byRun.get(id) ?? []
    return { id, ...(JSON.parse(filter) as LogsOfRun), ranges, keys: new Map(ranges.flatMap(({ keys }) => unpackKeys(keys))) }
  })
}

/** @throws `TypeError` when the range is no longer kept */
export async function readKeptLogs(db: Queryable, run: number, from: number): Promise<LogsOfBlocks> {
  // Base 64 is smaller than hex, into which the pool's parser turns every `bytea`.
  const { rows } = await sql<{ body: string }>`
    select encode(body, 'base64') as body from tokenwire_logs.range where run = ${run} and from_block = ${from}`.execute(db)
  if (rows[0] === undefined) throw new TypeError(`the kept logs from block ${from} on were removed meanwhile`)
  return unpackLogs(Buffer.from(rows[0].body, 'base64'))
}

export async function beginKeptRun(db: Queryable, { launchpads, isProven }: LogsOfRun): Promise<number> {
  const filter = JSON.stringify({ launchpads, isProven })
  const { rows } = await sql<{ id: number }>`insert into tokenwire_logs.run (filter) values (${filter}) returning id`.execute(db)
  return Number(rows[0]?.id)
}

export interface NewRange extends LogsOfBlocks {
  readonly run: number
  readonly first: BlockHeader
  readonly last: BlockHeader
  /** The keys that are new to the run. */
  readonly keys: readonly (readonly [key: Hex, from: number])[]
}

/** @returns whether the range was written: another process may have continued the run first */
export async function insertKeptRange(db: Queryable, { run, first, last, headers, logs, keys }: NewRange): Promise<boolean> {
  const own = new Map([first, ...headers, last].map(header => [header.number, header]))
  const body = await packLogs({ headers: [...own.values()], logs })
  const { numAffectedRows = 0n } = await sql`
    insert into tokenwire_logs.range (run, from_block, to_block, parent_hash, hash, keys, logs, body)
    values (${run}, ${first.number}, ${last.number}, ${toBytes(first.parentHash)}, ${toBytes(last.hash)}, ${packKeys(keys)}, ${logs.length}, ${body})
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

export interface LogsOfBlocks {
  /** Headers of every block that has logs, and perhaps of others; ascending. */
  readonly headers: readonly BlockHeader[]
  /** Ascending by (block, log index). */
  readonly logs: readonly ChainLog[]
}

/** Logs refer to their header, and to `texts`: most addresses, topics and transactions are in many logs. */
interface PackedLogs {
  readonly headers: readonly BlockHeader[]
  readonly texts: readonly Hex[]
  readonly logs: readonly (readonly [header: number, txIndex: number, logIndex: number, data: Hex, ...texts: number[]])[]
}

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Logs of consecutive blocks as JSON, compressed by Zstandard in a thread of Node's pool. */
async function packLogs({ headers, logs }: LogsOfBlocks): Promise<Buffer> {
  const places = new Map(headers.map(({ number }, index) => [number, index]))
  const texts = new Map<Hex, number>()
  const placeOf = (text: Hex) => getOrInsert(texts, text, () => texts.size)
  const packed = logs.map(({ blockNumber, txHash, txIndex, logIndex, address, topics, data }): PackedLogs['logs'][number] => {
    const header = places.get(blockNumber)
    if (header === undefined) throw new TypeError(`no header for block ${blockNumber}`)
    return [header, txIndex, logIndex, data, placeOf(txHash), placeOf(address), ...topics.map(placeOf)]
  })
  // A provider's header has more fields.
  const own = headers.map(({ number, hash, parentHash, timestamp }): BlockHeader => ({ number, hash, parentHash, timestamp }))
  return compress(JSON.stringify({ headers: own, texts: [...texts.keys()], logs: packed } satisfies PackedLogs))
}

async function unpackLogs(packed: Buffer): Promise<LogsOfBlocks> {
  const { headers, texts, logs } = JSON.parse((await decompress(packed)).toString()) as PackedLogs
  return {
    headers,
    logs: logs.map(([header, txIndex, logIndex, data, ...places]): ChainLog => {
      const { number: blockNumber, hash: blockHash } = headers[header] as BlockHeader
      const [txHash, address, ...topics] = places.map(place => texts[place]) as [Hex, Address, ...Hex[]]
      return { address, topics, data, blockNumber, blockHash, txHash, txIndex, logIndex }
    }),
  }
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
