import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import type { StoredRow, Table } from '#tables/tableOf.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import { unnested } from './insertRows.ts'
import { selectList } from './selectList.ts'

/** More tokens than this have expired at once only after the service was down. */
const EXPECTED_EXPIRED = 1_000

/** @param expiredBy loads also the tokens of which a trade has left a window by then */
export async function loadTokens(db: Queryable, addresses: readonly Address[], expiredBy: number | null): Promise<readonly TokenRow[]> {
  if (expiredBy === null) return addresses.length === 0 ? [] : readTokens(db, addresses, sql``)
  // The limit tells the planner that they are few: since the last analyze every value may have expired and been written anew.
  const expired = sql`select address from token where windows_expire_at <= ${expiredBy}::bigint order by windows_expire_at`
  const tokens = await readTokens(db, addresses, sql`union (${expired} limit ${sql.lit(EXPECTED_EXPIRED)})`)
  return tokens.length < EXPECTED_EXPIRED ? tokens : readTokens(db, addresses, sql`union (${expired})`)
}

async function readTokens(db: Queryable, addresses: readonly Address[], others: RawBuilder<unknown>): Promise<readonly TokenRow[]> {
  // "offset 0" makes it an index look-up per address. A plain join may be planned as a scan of all tokens.
  const { rows } = await sql<StoredRow<TokenRow>>`
    select ${selectList(TOKEN)} from (select unnest(${binaryArray(BYTEA, addresses)}::bytea[]) as address ${others}) as wanted
    cross join lateral (select * from token where token.address = wanted.address offset 0) as token`.execute(db)
  return rows.map(TOKEN.decode)
}

export async function loadPools(db: Queryable, tokens: readonly Address[]): Promise<readonly PoolRow[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<StoredRow<PoolRow>>`
    select ${selectList(POOL)} from pool where token = any(${binaryArray(BYTEA, tokens)}::bytea[])`.execute(db)
  return rows.map(POOL.decode)
}

export async function loadByKey<Row>(db: Queryable, table: Table<Row>, keys: readonly Partial<Row>[]): Promise<readonly Row[]> {
  if (keys.length === 0) return []
  const names = sql.join(table.key.map(({ name }) => sql.id(name)))
  const { rows } = await sql<StoredRow<Row>>`
    select ${selectList(table)} from (select ${unnested(table.key, keys)}) as wanted join ${sql.table(table.name)} using (${names})`.execute(
    db,
  )
  return rows.map(table.decode)
}
