import { sql } from 'kysely'
import { type Address, toAddress } from '#domain/address.ts'
import type { HolderType } from '#domain/holder.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { toHolder } from './holders.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'
import { SELECTED_TRADE, type SelectedTrade, toTrade } from './toTrade.ts'

/** How many holders an update carries. */
export const SNAPSHOT_HOLDERS = 20

/** Numbers are text, since JSON's would be read as floats. */
type HolderTuple = readonly [address: string, balance: string, type: HolderType, lastChangedBlock: string]

type SnapshotRow = SelectedToken &
  (SelectedTrade | { readonly 'trade.blockNumber': null }) & { readonly holders: readonly HolderTuple[] | null }

/**
 * The full state of tokens in the order of `addresses`, without those that are not indexed. One statement, so that all of it is of one
 * snapshot of the database. Cost: a few index look-ups per token.
 */
export async function readSnapshots(
  db: Queryable,
  { chainId, addresses }: { readonly chainId: number; readonly addresses: readonly Address[] },
): Promise<readonly TokenSnapshot[]> {
  if (addresses.length === 0) return []
  const { rows } = await sql<SnapshotRow>`
    select ${SELECTED_TOKEN}, ${SELECTED_TRADE}, holders.holders
    from unnest(${addresses.map(toBytes)}::bytea[]) with ordinality as asked (address, position)
    join token on token.address = asked.address
    ${MAIN_POOL}
    left join lateral (
      select * from trade where trade.token = asked.address
      order by trade.timestamp desc, trade.block_number desc, trade.log_index desc limit 1
    ) as trade on true
    cross join lateral (
      select json_agg(json_build_array('0x' || encode(largest.holder, 'hex'), largest.balance::text, largest.type, largest.last_changed_block::text)
        order by - largest.balance, largest.holder) as holders
      from (
        select balance.holder, balance.balance, balance.type, balance.last_changed_block from balance
        where balance.token = asked.address and balance.balance > 0
        order by - balance.balance, balance.holder limit ${sql.lit(SNAPSHOT_HOLDERS)}
      ) as largest
    ) as holders
    order by asked.position`.execute(db)
  return rows.map(row => toSnapshot(row, chainId))
}

function toSnapshot(row: SnapshotRow, chainId: number): TokenSnapshot {
  const totalSupply = BigInt(row.totalSupply)
  return {
    token: toToken(row, chainId),
    latestTrade: row['trade.blockNumber'] === null ? null : toTrade(row),
    holders: (row.holders ?? []).map(([address, balance, type, lastChangedBlock], index) =>
      toHolder({ rank: index + 1, address: toAddress(address), balance, type, lastChangedBlock }, totalSupply),
    ),
  }
}
