import { sql } from 'kysely'
import { type Address, toAddress } from '#domain/address.ts'
import { type EventPlace, FIRST_PLACE } from '#domain/eventPlace.ts'
import { classesOf, type HolderType } from '#domain/holder.ts'
import { setNewest } from '#domain/maps.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import { placeOfTrade, type RecentTrades, type Trade } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { parameter } from '#store/rows/insertRows.ts'
import { arrayOf, BIGINT, BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { toHolder } from './holders.ts'
import { MAIN_POOL, SELECTED_TOKEN, type SelectedToken, toToken } from './toToken.ts'
import { selectedTradeOf, TRADE_AS_JSON, toTrade } from './toTrade.ts'

/** How many holders an update carries. */
export const SNAPSHOT_HOLDERS = 20

/** The most reorgs in a snapshot. Few chains have more between two changes of a token. */
const SNAPSHOT_REORGS = 32

/** Large numbers are text, since numbers of JSON would be read as floats. */
type HolderTuple = readonly [address: string, balance: string, type: HolderType, lastChangedBlock: string, classes: number]

type SnapshotRow = SelectedToken & {
  /** Trades as `TRADE_AS_JSON`, newest last: those after the known ones, at most one more than a snapshot has. */
  readonly trades: readonly (readonly unknown[])[] | null
  readonly holders: readonly HolderTuple[] | null
  readonly reorgs: number
  readonly voidFrom: readonly number[] | null
}

/**
 * The full state of tokens in the order of `addresses`, without those that are not indexed. One statement reads it, so that all of it is
 * from one snapshot of the database. Costs a few index look-ups per token.
 *
 * @param known trades that need not be read again. Default: none
 */
export async function readSnapshots(
  db: Queryable,
  { chainId, addresses, known }: { readonly chainId: number; readonly addresses: readonly Address[]; readonly known?: KnownTrades },
): Promise<readonly TokenSnapshot[]> {
  if (addresses.length === 0) return []
  const asked = addresses.map(address => ({ address, ...readAfter(known?.of(address)) }))
  const { rows } = await sql<SnapshotRow>`
    select ${SELECTED_TOKEN}, recent.trades, holders.holders, reported.reorgs, reported.void_from as "voidFrom"
    from unnest(
      ${parameter(binaryArray(BYTEA, addresses), 'bytea[]')},
      ${parameter(arrayOf(BIGINT, asked, 'blockNumber'), 'bigint[]')}, ${parameter(arrayOf(BIGINT, asked, 'logIndex'), 'bigint[]')}
    ) with ordinality as asked (address, known_block, known_log, position)
    join token on token.address = asked.address
    ${MAIN_POOL}
    cross join (
      select coalesce(max(reorg.number), 0) as reorgs, json_agg(reorg.from_block order by reorg.number) as void_from
      from (select * from reorg order by number desc limit ${sql.lit(SNAPSHOT_REORGS)}) as reorg
    ) as reported
    cross join lateral (
      select json_agg(${TRADE_AS_JSON} order by trade.block_number, trade.log_index) as trades
      from (
        select * from (${newestOf('buy')} union all ${newestOf('sell')}) as trade
        order by trade.block_number desc, trade.log_index desc limit ${sql.lit(SNAPSHOT_TRADES + 1)}
      ) as trade
    ) as recent
    cross join lateral (
      select json_agg(json_build_array('0x' || encode(largest.holder, 'hex'), largest.balance::text, largest.type, largest.last_changed_block::text, largest.classes)
        order by - largest.balance, largest.holder) as holders
      from (
        select balance.holder, balance.balance, balance.type, balance.last_changed_block, balance.classes from balance
        where balance.token = asked.address and balance.balance > 0
        order by - balance.balance, balance.holder limit ${sql.lit(SNAPSHOT_HOLDERS)}
      ) as largest
    ) as holders
    order by asked.position`.execute(db)
  return rows.map(row => {
    const snapshot = toSnapshot(row, chainId, known?.of(row.address))
    known?.keep(row.address, snapshot.recent)
    return snapshot
  })
}

/** SQL of a token's newest trades of a side that are not known, by place: the times of blocks may fall. */
function newestOf(side: TradeSide) {
  return sql`(
    select * from trade where trade.token = asked.address and trade.side = ${sql.lit(side)}
      and (trade.block_number, trade.log_index) > (asked.known_block, asked.known_log)
    order by trade.block_number desc, trade.log_index desc limit ${sql.lit(SNAPSHOT_TRADES + 1)}
  )`
}

function toSnapshot(row: SnapshotRow, chainId: number, known: RecentTrades | undefined): TokenSnapshot {
  const totalSupply = BigInt(row.totalSupply)
  return {
    token: toToken(row, chainId),
    recent: recentTrades(row, known),
    holders: (row.holders ?? []).map(([address, balance, type, lastChangedBlock, classes], index) =>
      toHolder(
        {
          rank: index + 1,
          address: toAddress(address),
          balance,
          type,
          lastChangedBlock,
          classes: row.creatorHeld === null ? null : classesOf(classes),
        },
        totalSupply,
      ),
    ),
  }
}

function recentTrades({ trades, reorgs, voidFrom }: SnapshotRow, known: RecentTrades | undefined): RecentTrades {
  const read = (trades ?? []).map(values => toTrade(selectedTradeOf(values)))
  return { ...recentAfter(known, read), reorgs, voidFrom: voidFrom ?? [] }
}

/** The most recent trades in a snapshot: about as many as fit into a message. */
const SNAPSHOT_TRADES = 16

/** Trades older than the newest one by more than this are left out: a reader that lags for so long is disconnected. */
const RECENT_SECONDS = 60

/** The trades of this many tokens take about 15 MB. */
const MAX_TOKENS = 1_000

/**
 * The recent trades of tokens as the last snapshots had them, so that the next one reads only later trades. Only the writer of the trades
 * may use it, and has to call `forget` when a commit fails, and when stored trades change. The tokens of the oldest snapshots are evicted.
 */
export class KnownTrades {
  readonly #recent = new Map<Address, RecentTrades>()

  of(token: Address): RecentTrades | undefined {
    return this.#recent.get(token)
  }

  keep(token: Address, recent: RecentTrades): void {
    setNewest(this.#recent, token, recent, MAX_TOKENS)
  }

  forget(): void {
    this.#recent.clear()
  }
}

/** The place of the trade after which a snapshot reads on. @param known `undefined`: all trades are read */
function readAfter(known: RecentTrades | undefined): EventPlace {
  const newest = known?.trades.at(-1)
  return newest === undefined ? FIRST_PLACE : placeOfTrade(newest)
}

/**
 * The recent trades of a snapshot, from the known ones and those that were read.
 *
 * @param read the newest trades after the known ones, newest last. If they are more than a snapshot has, others may lie in between
 */
function recentAfter(known: RecentTrades | undefined, read: readonly Trade[]): Pick<RecentTrades, 'trades' | 'after'> {
  const goesOn = known !== undefined && known.trades.length > 0 && read.length <= SNAPSHOT_TRADES
  const all = goesOn ? [...known.trades, ...read] : read
  const newest = all.at(-1)
  const since = newest === undefined ? 0 : secondsOf(newest) - RECENT_SECONDS
  const trades = all.slice(all.findLastIndex(trade => secondsOf(trade) < since) + 1).slice(-SNAPSHOT_TRADES)
  const leftOut = all.at(-1 - trades.length)
  return { trades, after: leftOut === undefined ? (goesOn ? known.after : FIRST_PLACE) : placeOfTrade(leftOut) }
}

function secondsOf({ timestamp }: Trade): number {
  return Date.parse(timestamp) / 1_000
}
