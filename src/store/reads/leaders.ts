import { sql } from 'kysely'
import { TokenwireError } from '#errors'
import type { Leader, LeaderCursor, LeadersQuery } from '#resources/leaders.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { selectList } from '#store/rows/selectList.ts'
import { LEADER, LEADER_SORT_VALUES, type LeaderRow } from '#tables/leader.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { pageOf } from './pageOf.ts'
import { secondsToIso } from './trimScale.ts'
import { wholeOf } from './valueBalance.ts'

type ListedRow = { readonly toBlock: number; readonly sortValue: string } & (StoredRow<LeaderRow> | { readonly maker: null })

/**
 * One page of a window's leaders, the largest value first, ties by falling address: one range of an index.
 *
 * @throws `TokenwireError` `not_counted` until the window is counted for the first time
 */
export async function readLeaders(
  db: Queryable,
  { window, sort, launchpad = '', limit, cursor }: LeadersQuery,
): Promise<Page<Leader, LeaderCursor>> {
  const value = sql.raw(LEADER_SORT_VALUES[sort])
  const after = cursor === undefined ? sql`` : sql`and (${value}, maker) < (${cursor.value}::numeric, ${toBytes(cursor.address)}::bytea)`
  const { rows } = await sql<ListedRow>`
    select counted.to_block as "toBlock", listed.sort_value::text as "sortValue", ${selectList(LEADER, 'listed')}
    from leader_window as counted left join lateral (
      select leader.*, ${value} as sort_value from leader
      where leader.period = ${window} and leader.launchpad = ${launchpad} ${after}
      order by ${value} desc, maker desc limit ${limit + 1}
    ) as listed on true
    where counted.period = ${window} and counted.is_complete
    order by listed.sort_value desc, listed.maker desc`.execute(db)
  const [first] = rows
  if (first === undefined) throw new TokenwireError('not_counted', 'the leaders are being counted', { retryable: true })
  const listed = rows.flatMap(row => (row.maker === null ? [] : [row]))
  const { shown, next } = pageOf(listed, limit, ({ sortValue, maker }) => ({ value: sortValue, address: maker }))
  return { data: shown.map(row => toLeader(LEADER.decode(row))), next, asOfBlock: String(first.toBlock) }
}

function toLeader(row: LeaderRow): Leader {
  const { maker, buys, sells, boughtWei, boughtUsd, soldWei, soldUsd, realizedWei, realizedUsd, lastTradeAt } = row
  return {
    address: maker,
    buys,
    sells,
    boughtWeth: wholeOf(boughtWei),
    boughtUsd: wholeOf(boughtUsd),
    soldWeth: wholeOf(soldWei),
    soldUsd: wholeOf(soldUsd),
    volumeWeth: wholeOf(boughtWei + soldWei),
    volumeUsd: wholeOf(boughtUsd + soldUsd),
    realizedWeth: wholeOf(realizedWei),
    realizedUsd: wholeOf(realizedUsd),
    tradesWithoutWethValue: row.tradesWithoutWei,
    tradesWithoutUsdValue: row.tradesWithoutUsd,
    salesWithoutWethProfit: row.salesWithoutWei,
    salesWithoutUsdProfit: row.salesWithoutUsd,
    lastTradeAt: secondsToIso(lastTradeAt),
  }
}
