import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { ANNOUNCED_CONTRACT, type AnnouncedContractRow } from '#tables/announcedContract.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import { selectList } from './selectList.ts'

export type WatchedTokenRow = Pick<TokenRow, 'address' | 'launchpad' | 'decimals' | 'createdBlock'>

export type WatchedPoolRow = Pick<
  PoolRow,
  'address' | 'token' | 'launchpad' | 'type' | 'quoteToken' | 'tokenIsToken0' | 'feeBps' | 'createdBlock'
> & {
  /** A whole number as text. */
  readonly positionId: string | null
}

const PAGE_ROWS = 5_000

/** Every token. The database connection has to be in a transaction, as with the other functions here. */
export function watchedTokens(db: Queryable): AsyncGenerator<WatchedTokenRow> {
  return eachRow(db, sql`select address, launchpad, decimals, created_block as "createdBlock" from token`)
}

export function watchedPools(db: Queryable): AsyncGenerator<WatchedPoolRow> {
  return eachRow(
    db,
    sql`select address, token, launchpad, type, quote_token as "quoteToken", token_is_token0 as "tokenIsToken0", fee_bps as "feeBps",
      position_id as "positionId", created_block as "createdBlock" from pool`,
  )
}

export function announcedContracts(db: Queryable): AsyncGenerator<AnnouncedContractRow> {
  return eachRow(db, sql`select ${selectList(ANNOUNCED_CONTRACT)} from announced_contract`)
}

/** Reads page by page: millions of rows at once would take gigabytes. */
async function* eachRow<Row>(db: Queryable, select: RawBuilder<unknown>): AsyncGenerator<Row> {
  await sql`declare watched no scroll cursor for ${select}`.execute(db)
  for (;;) {
    const { rows } = await sql<Row>`fetch forward ${sql.lit(PAGE_ROWS)} from watched`.execute(db)
    yield* rows
    if (rows.length < PAGE_ROWS) break
  }
  await sql`close watched`.execute(db)
}
