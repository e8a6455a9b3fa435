import { sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { ANNOUNCED_CONTRACT, type AnnouncedContractRow } from '#tables/announcedContract.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import type { TokenRow } from '#tables/token.ts'
import { selectList } from './selectList.ts'

export interface WatchRows {
  readonly tokens: readonly Pick<TokenRow, 'address' | 'launchpad' | 'decimals' | 'createdBlock'>[]
  readonly pools: readonly PoolRow[]
  readonly contracts: readonly AnnouncedContractRow[]
}

export async function readWatchRows(db: Queryable): Promise<WatchRows> {
  const tokens = await sql<
    WatchRows['tokens'][number]
  >`select address, launchpad, decimals, created_block as "createdBlock" from token`.execute(db)
  const pools = await sql<StoredRow<PoolRow>>`select ${selectList(POOL)} from pool`.execute(db)
  const contracts = await sql<StoredRow<AnnouncedContractRow>>`select ${selectList(ANNOUNCED_CONTRACT)} from announced_contract`.execute(db)
  return { tokens: tokens.rows, pools: pools.rows.map(POOL.decode), contracts: contracts.rows.map(ANNOUNCED_CONTRACT.decode) }
}
