import { sql } from 'kysely'
import { type Address, toAddress } from '#domain/address.ts'
import { FIRST_PLACE } from '#domain/eventPlace.ts'
import type { HolderType } from '#domain/holder.ts'
import type { RecentTrades } from '#domain/recentTrades.ts'
import type { TokenSnapshot } from '#domain/token.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { toHolder } from './holders.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'
import { type SelectedTrade, selectedTradeOf, TRADE_AS_JSON, toTrade } from './toTrade.ts'

/** How many holders an update carries. */
export const SNAPSHOT_HOLDERS = 20

/** Most recent trades of a snapshot: as many as fit into a message, about. */
const SNAPSHOT_TRADES = 16

/** Trades that are older than the newest by more are left out: a reader that lags for as long is closed. */
const RECENT_SECONDS = 60

/** Reorgs that a snapshot tells of: as many as there may be between two changes of a token, except on the most restless chains. */
const SNAPSHOT_REORGS = 32

/** Numbers are text, since JSON's would be read as floats. */
type HolderTuple = readonly [address: string, balance: string, type: HolderType, lastChangedBlock: string]

type SnapshotRow = SelectedToken & {
  /** As `TRADE_AS_JSON`, newest last, one more than a snapshot has. */
  readonly trades: readonly (readonly unknown[])[] | null
  readonly holders: readonly HolderTuple[] | null
  readonly reorgs: number
  readonly voidFrom: readonly number[] | null
}

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
    select ${SELECTED_TOKEN}, recent.trades, holders.holders, told.reorgs, told.void_from as "voidFrom"
    from unnest(${addresses.map(toBytes)}::bytea[]) with ordinality as asked (address, position)
    join token on token.address = asked.address
    ${MAIN_POOL}
    cross join (
      select coalesce(max(reorg.number), 0) as reorgs, json_agg(reorg.from_block order by reorg.number) as void_from
      from (select * from reorg order by number desc limit ${sql.lit(SNAPSHOT_REORGS)}) as reorg
    ) as told
    cross join lateral (
      select json_agg(${TRADE_AS_JSON} order by trade.block_number, trade.log_index) as trades
      from (
        select * from trade where trade.token = asked.address
        order by trade.timestamp desc, trade.block_number desc, trade.log_index desc limit ${sql.lit(SNAPSHOT_TRADES + 1)}
      ) as trade
    ) as recent
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
    recent: recentTrades(row),
    holders: (row.holders ?? []).map(([address, balance, type, lastChangedBlock], index) =>
      toHolder({ rank: index + 1, address: toAddress(address), balance, type, lastChangedBlock }, totalSupply),
    ),
  }
}

function recentTrades({ trades, reorgs, voidFrom }: SnapshotRow): RecentTrades {
  const stored = (trades ?? []).map(selectedTradeOf)
  const newest = stored.at(-1)
  const isRecent = (row: SelectedTrade) => newest !== undefined && row['trade.timestamp'] >= newest['trade.timestamp'] - RECENT_SECONDS
  const recent = stored.slice(-SNAPSHOT_TRADES).filter(isRecent)
  const before = stored[stored.length - recent.length - 1]
  return {
    trades: recent.map(toTrade),
    after: before === undefined ? FIRST_PLACE : { blockNumber: before['trade.blockNumber'], logIndex: before['trade.logIndex'] },
    reorgs,
    voidFrom: voidFrom ?? [],
  }
}
