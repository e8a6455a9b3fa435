import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { PoolState } from '#domain/tokenState.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { bytesToAddress } from './bytes.ts'
import { type PoolRow, toPoolState } from './stateRows.ts'

export interface WatchRows {
  readonly tokens: readonly {
    readonly address: Address
    readonly launchpad: string
    readonly decimals: number
    readonly createdBlock: number
  }[]
  readonly pools: readonly PoolState[]
}

/** Every indexed token and pool: what the indexer watches when it starts again. */
export async function readWatchRows(db: Queryable): Promise<WatchRows> {
  const tokens = await sql<{
    address: Buffer
    launchpad: string
    decimals: number
    created_block: string
  }>`select address, launchpad, decimals, created_block from token`.execute(db)
  const pools = await sql<PoolRow>`select * from pool`.execute(db)
  return {
    tokens: tokens.rows.map(({ address, launchpad, decimals, created_block }) => ({
      address: bytesToAddress(address),
      launchpad,
      decimals,
      createdBlock: Number(created_block),
    })),
    pools: pools.rows.map(toPoolState),
  }
}
