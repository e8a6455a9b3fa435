import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { AnnouncedContractRow } from '#tables/announcedContract.ts'
import { toBytes } from '#tables/columns.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'

/*
 * Rows for the directory, all of which are read at the start. A million row messages would cost the driver seconds, so the database packs
 * the rows of a page whose other columns are equal into one row.
 */

interface Packed {
  /** Row by row: address, token (20 bytes; for an announced contract, its own address) and creation block (8 bytes, big endian). */
  readonly records: Buffer
}

export type PackedContracts = Packed & Pick<AnnouncedContractRow, 'launchpad' | 'role'>

export type PackedTokens = Packed & Pick<TokenRow, 'launchpad' | 'decimals'>

export type PackedPools = Packed &
  Pick<PoolRow, 'launchpad' | 'type' | 'quoteToken' | 'tokenIsToken0' | 'feeBps'> & {
    /** Whether each pool's address is that of its token. */
    readonly isToken: boolean
    /** The length of the pools' addresses in bytes: 20, or 32 for the ids of Uniswap v4. */
    readonly keyBytes: number
    /** Decimal numbers in the records' order, separated by commas; `null`: the pools have no position. */
    readonly positionIds: string | null
  }

/** The blocks of a page: about 8 MB of a table. */
const PAGE_BLOCKS = 1_000

/** Has a new transaction read all tables as of one moment, since the functions below read page by page. */
export async function readOneState(db: Queryable): Promise<void> {
  await sql`set transaction isolation level repeatable read, read only`.execute(db)
}

/** The contracts that launches name, page by page, packed by launchpad and role. */
export function announcedContracts(db: Queryable): AsyncGenerator<PackedContracts> {
  return eachPage(
    db,
    'announced_contract',
    page => sql`
    select launchpad, role, ${recordsOf('address')} from ${page} group by launchpad, role`,
  )
}

/** The tokens, page by page, packed by launchpad and decimals. */
export function watchedTokens(db: Queryable): AsyncGenerator<PackedTokens> {
  return eachPage(
    db,
    'token',
    page => sql`
    select launchpad, decimals, ${recordsOf('address')} from ${page} group by launchpad, decimals`,
  )
}

/** @param except addresses to leave out: pools that only value a quote currency, whose token is not indexed */
export function watchedPools(db: Queryable, except: readonly Hex[]): AsyncGenerator<PackedPools> {
  return eachPage(
    db,
    'pool',
    page => sql`
    select launchpad, type, quote_token as "quoteToken", token_is_token0 as "tokenIsToken0", fee_bps as "feeBps", address = token as "isToken",
      length(address) as "keyBytes", ${recordsOf('token')}, string_agg(position_id::text, ',') as "positionIds"
    from ${page} and address <> all(${except.map(toBytes)}::bytea[])
    group by launchpad, type, quote_token, token_is_token0, fee_bps, address = token, length(address), position_id is null`,
  )
}

function recordsOf(token: string): RawBuilder<unknown> {
  return sql`string_agg(address || ${sql.ref(token)} || int8send(created_block), '') as records`
}

/** Pages are parts of the table's file, which are read in the order of the disk and without an index. */
async function* eachPage<Row extends Packed>(
  db: Queryable,
  table: string,
  select: (page: RawBuilder<unknown>) => RawBuilder<unknown>,
): AsyncGenerator<Row> {
  const size = await sql<{ blocks: number }>`
    select pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint as blocks`.execute(db)
  const blocks = size.rows[0]?.blocks ?? 0
  for (let from = 0; from < blocks; from += PAGE_BLOCKS) {
    const page = sql`${sql.table(table)} where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + PAGE_BLOCKS},0)`}::tid`
    const { rows } = await sql<Omit<Row, 'records'> & { records: Hex }>`${select(page)}`.execute(db)
    for (const row of rows) yield { ...row, records: toBytes(row.records) } as Row
  }
}
