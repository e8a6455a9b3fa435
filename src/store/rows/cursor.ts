import { type RawBuilder, sql } from 'kysely'
import type { LaunchpadConfig, PeggedCurrency } from '#config'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import { TokenwireError } from '#errors'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { BLOCK, type BlockRow } from '#tables/block.ts'
import { toBytes } from '#tables/columns.ts'
import { CURRENCY } from '#tables/currency.ts'
import { insertRows, runStatements, selectList } from './insertRows.ts'

/** The chain and the configuration that a database was built from. */
export interface DatabaseIdentity {
  readonly chainId: number
  readonly genesisHash: Hex
  readonly weth: Address
  readonly launchpads: readonly LaunchpadConfig[]
  /** Default: none. */
  readonly pegUsd?: readonly PeggedCurrency[] | undefined
}

export interface ChainCursor {
  readonly number: number
  readonly hash: Hex
  readonly timestamp: number
  readonly committedAtMs: number
  /** The oldest block that can be undone; `null`: none can. */
  readonly undoFrom: number | null
  /** Candles of a minute from this time on are not yet part of longer ones; `null`: all are. */
  readonly unfoldedFrom: number | null
}

/**
 * Marks an empty database as built from this chain and these launchpads, or checks that it was built from this chain. Makes `writer` the
 * only one that may commit.
 *
 * @param writer a name that no other process has
 * @returns the launchpads that it was built from
 * @throws `TokenwireError` `database_foreign` saying what differs
 */
export async function claimDatabase(db: Queryable, identity: DatabaseIdentity, writer: string): Promise<readonly LaunchpadConfig[]> {
  const launchpads = JSON.stringify(identity.launchpads)
  const pegUsd = JSON.stringify(identity.pegUsd ?? [])
  await sql`insert into chain_state (chain_id, genesis_hash, weth, launchpads)
    values (${identity.chainId}, ${toBytes(identity.genesisHash)}, ${toBytes(identity.weth)}, ${launchpads}::jsonb)
    on conflict (id) do nothing`.execute(db)
  const inForce = await requireChain(db, identity)
  await sql`update chain_state set writer = ${writer}, peg_usd = coalesce(peg_usd, ${pegUsd}::jsonb)`.execute(db)
  await writeEther(db, identity.weth)
  return inForce
}

/**
 * Checks that a database was built from this chain. Writes nothing.
 *
 * @returns the launchpads that it was built from
 * @throws `TokenwireError` `database_foreign` saying what differs
 */
export async function requireChain(
  db: Queryable,
  identity: Omit<DatabaseIdentity, 'launchpads' | 'pegUsd'>,
): Promise<readonly LaunchpadConfig[]> {
  const { rows } = await sql<DatabaseIdentity>`
    select chain_id as "chainId", genesis_hash as "genesisHash", weth, launchpads from chain_state`.execute(db)
  const [stored] = rows
  if (stored === undefined) throw new TypeError('chain_state holds no row after one was inserted')
  const difference = differenceBetween(stored, identity)
  if (difference === null) return stored.launchpads
  throw new TokenwireError(
    'database_foreign',
    `The database was built from ${difference}. Point DATABASE_URL (or DATA_DIR) at another database.`,
  )
}

/**
 * The cursor, locked until the transaction ends. `null`: nothing is indexed.
 *
 * @throws `TokenwireError` `database_taken` when another process has become the writer: it alone knows what was committed since
 */
export async function lockAsWriter(db: Queryable, writer: string): Promise<ChainCursor | null> {
  const { rows } = await sql<Omit<ChainCursor, 'number'> & { readonly writer: string; readonly number: number | null }>`
    select writer, cursor_number as number, cursor_hash as hash, cursor_timestamp as timestamp, committed_at_ms as "committedAtMs",
      undo_from as "undoFrom", unfolded_from as "unfoldedFrom" from chain_state for update`.execute(db)
  const [row] = rows
  if (row !== undefined && row.writer !== writer) {
    throw new TokenwireError('database_taken', 'another Tokenwire has taken over indexing into this database')
  }
  return row === undefined || row.number === null ? null : { ...row, number: row.number }
}

/** Locks the cursor as `lockAsWriter` does, and reads the time of the commit that follows. */
export async function beginCommit(
  db: Queryable,
  writer: string,
): Promise<{ readonly cursor: ChainCursor | null; readonly committedAtMs: number }> {
  const [cursor, committedAtMs] = await Promise.all([lockAsWriter(db, writer), readClockMs(db)])
  return { cursor, committedAtMs }
}

/** The time of the database's clock in Unix milliseconds, from which sequences are made. */
export async function readClockMs(db: Queryable): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(db)
  return Number(rows[0]?.ms)
}

/** SQL for the columns that a commit sets on each token that it changes: `update token set …`. @param token the table's alias */
export function stampToken(committedAtMs: number, token: 'token' | 'current' = 'token') {
  return sql`sequence = greatest(${sql.ref(`${token}.sequence`)} + 1, ${committedAtMs}), updated_at_ms = ${committedAtMs}`
}

/** @param undoFrom the oldest block that can be undone from now on; `null`: none can */
export function moveCursor(to: BlockHeader, committedAtMs: number, undoFrom: number | null): RawBuilder<unknown> {
  return sql`update chain_state set cursor_number = ${to.number}, cursor_hash = ${toBytes(to.hash)}, cursor_timestamp = ${to.timestamp},
    committed_at_ms = ${committedAtMs}, undo_from = ${undoFrom}`
}

/** As after `moveCursor` to before the first block. */
export function clearCursor(): RawBuilder<unknown> {
  return sql`update chain_state set cursor_number = null, cursor_hash = null, cursor_timestamp = null, committed_at_ms = null, undo_from = null`
}

/** The newest stored blocks, ascending and linked, at most `limit`. A backfill stores only the last block of each range. */
export async function readRecentBlocks(db: Queryable, limit: number): Promise<readonly BlockRow[]> {
  const { rows } = await sql<BlockRow>`select ${selectList(BLOCK)} from block order by number desc limit ${limit}`.execute(db)
  const blocks: BlockRow[] = []
  for (const block of rows) {
    const child = blocks.at(-1)
    if (child !== undefined && child.parentHash !== block.hash) break
    blocks.push(block)
  }
  return blocks.reverse()
}

/** The headers that are stored of these blocks: those of the newest blocks, and of the last blocks of ranges. */
export async function readStoredBlocks(db: Queryable, numbers: readonly number[]): Promise<readonly BlockHeader[]> {
  const { rows } = await sql<BlockRow>`select ${selectList(BLOCK)} from block where number = any(${[...numbers]}::bigint[])`.execute(db)
  return rows
}

/** Whether the block is indexed and one of the newest. */
export async function isRecentBlock(db: Queryable, { number, hash }: Pick<BlockHeader, 'number' | 'hash'>): Promise<boolean> {
  const { rows } = await sql`select from block where number = ${number} and hash = ${toBytes(hash)}`.execute(db)
  return rows.length > 0
}

/** Whether the index stands at the block, or can undo the blocks above it: none of those was committed together with it. */
export async function canGoBackTo(db: Queryable, { number, hash }: Pick<BlockHeader, 'number' | 'hash'>): Promise<boolean> {
  const { rows } = await sql`select from block cross join chain_state where number = ${number} and hash = ${toBytes(hash)}
    and (cursor_number = number or undo_from <= number + 1 and not joined)`.execute(db)
  return rows.length > 0
}

/** The tokens that the commit at that time changed. */
export async function readTokensUpdatedAt(db: Queryable, committedAtMs: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`select address from token where updated_at_ms = ${committedAtMs}`.execute(db)
  return rows.map(({ address }) => address)
}

function differenceBetween(
  stored: DatabaseIdentity,
  { chainId, genesisHash, weth }: Omit<DatabaseIdentity, 'launchpads' | 'pegUsd'>,
): string | null {
  if (stored.chainId !== chainId) return `chain ${stored.chainId}, and the RPC serves chain ${chainId}`
  if (stored.genesisHash !== genesisHash) {
    return `a chain ${chainId} whose first block is ${stored.genesisHash}, and the RPC serves one that begins with ${genesisHash}`
  }
  if (stored.weth !== weth) return `launchpads quoted in WETH at ${stored.weth}, and the configuration says ${weth}`
  return null
}

/** Stores the currencies whose symbol and decimals are known: WETH, and ETH itself, for which pools use the zero address. */
async function writeEther(db: Queryable, weth: Address): Promise<void> {
  const known = [
    { address: weth, symbol: 'WETH', decimals: 18, isRead: true, readAgainAtMs: null },
    { address: ZERO_ADDRESS, symbol: 'ETH', decimals: 18, isRead: true, readAgainAtMs: null },
  ]
  await runStatements(db, insertRows(CURRENCY, known, CURRENCY.merge))
}

/** The parts of a header that are stored with every trade. */
export type BlockTime = Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>

/** The blocks that have trades and the newest blocks, ascending from a number on. */
export async function readBlockTimes(db: Queryable, from: number, limit: number): Promise<readonly BlockTime[]> {
  const { rows } = await sql<BlockTime>`
    select distinct on (number) number, hash, timestamp from (
      (select distinct on (block_number) block_number as number, block_hash as hash, timestamp from trade
        where block_number >= ${from} order by block_number limit ${limit})
      union all (select number, hash, timestamp from block where number >= ${from} order by number limit ${limit})
    ) as stored order by number limit ${limit}`.execute(db)
  return rows
}
