import { type RawBuilder, sql } from 'kysely'
import { TokenwireError } from '#errors'
import type { Leader, LeaderCursor, LeadersQuery } from '#resources/leaders.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { AMOUNT_USD, readLeftBlock, SUMS, tradesIn } from '#store/rows/leaders.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { selectList } from '#store/rows/selectList.ts'
import { LEADER, LEADER_SORT_VALUES, type LeaderRow } from '#tables/leader.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { pageOf } from './pageOf.ts'
import { secondsToIso } from './trimScale.ts'
import { wholeOf } from './valueBalance.ts'

/** The most trades after the counted ones that a request sums up, in about 0.2 s. With more, the window is still being counted. */
const MAX_UNCOUNTED = 100_000

type ListedRow = { readonly uncounted: number; readonly sortValue: string } & (StoredRow<LeaderRow> | { readonly maker: null })

/**
 * One page of a window's leaders as of the newest block, the largest value first, ties by falling address. The rows of `leader` are as of a
 * final block. For accounts with trades that have entered or left the window since, the sort value is summed up here, and merged with the
 * others, which are a range of an index. The other values are summed up only for accounts of the page.
 *
 * @throws `TokenwireError` `not_counted` while many more trades are to be counted
 */
export async function readLeaders(
  db: Queryable,
  { window, sort, launchpad = '', limit, cursor }: LeadersQuery,
): Promise<Page<Leader, LeaderCursor>> {
  const newest = await readNewestBlock(db)
  if (newest === null) return { data: [], next: null, asOfBlock: null }
  const left = await readLeftBlock(db, window, newest)
  const value = sql.raw(LEADER_SORT_VALUES[sort])
  const after = cursor === undefined ? sql`` : sql`and (${value}, maker) < (${cursor.value}::numeric, ${toBytes(cursor.address)}::bytea)`
  const first = sql`order by ${value} desc, maker desc limit ${limit + 1}`
  const ofLaunchpad =
    launchpad === '' ? sql`` : sql`${lookUp('token', sql`token.address = moved.token`)} where token.launchpad = ${launchpad}`
  // Rows are read together: before the first `analyze`, a look-up for each may use another index than the key's.
  const storedOf = (makers: RawBuilder<unknown>) => sql`
    select * from leader where period = ${window} and launchpad = ${launchpad} and maker = any (array(select maker from ${makers}))`
  const sumsOf = (trades: RawBuilder<unknown>) =>
    sql`select ${window}::text as period, ${launchpad}::text as launchpad, maker, ${SUMS}
      from (select *, ${AMOUNT_USD} from ${trades}) as valued group by maker`
  const { rows } = await sql<ListedRow>`
    with counted as materialized (
      select coalesce(max(after_block), -1) as after_block, coalesce(max(to_block), -1) as to_block from leader_window where period = ${window}
    ),
    moved as materialized (
      select moved.* from counted cross join lateral (
        ${tradesIn(sql`greatest(counted.to_block, ${left}::bigint)`, sql`${newest.number}`, 1)}
        union all ${tradesIn(sql`counted.after_block`, sql`least(counted.to_block, ${left}::bigint)`, -1)}
      ) as moved limit ${MAX_UNCOUNTED + 1}
    ),
    recent as materialized (select moved.* from moved ${ofLaunchpad}),
    stored as materialized (${storedOf(sql`recent`)}),
    changed as (select ${CHANGED} from (${sumsOf(sql`recent`)}) as sums left join stored as leader using (period, launchpad, maker)),
    listed as (
      (select maker, ${value} as sort_value from leader
        where period = ${window} and launchpad = ${launchpad} and maker not in (select maker from recent) ${after} ${first})
      union all
      (select maker, ${value} as sort_value from changed where buys + sells > 0 ${after} ${first})
    ),
    page as materialized (
      select ${window}::text as period, ${launchpad}::text as launchpad, listed.* from listed order by sort_value desc, maker desc limit ${limit + 1}
    ),
    shown as (
      select ${CHANGED}, sort_value from page left join (${storedOf(sql`page`)}) as leader using (period, launchpad, maker)
      left join (${sumsOf(sql`recent where maker in (select maker from page)`)}) as sums using (period, launchpad, maker)
    )
    select (select count(*)::integer from moved) as uncounted, shown.sort_value::text as "sortValue", ${selectList(LEADER, 'shown')}
    from (values (1)) as one (row) left join shown on true order by shown.sort_value desc, shown.maker desc`.execute(db)
  if ((rows[0]?.uncounted ?? 0) > MAX_UNCOUNTED)
    throw new TokenwireError('not_counted', 'the leaders are being counted', { retryable: true })
  const found = rows.flatMap(row => (row.maker === null ? [] : [row]))
  const { shown, next } = pageOf(found, limit, ({ sortValue, maker }) => ({ value: sortValue, address: maker }))
  return { data: shown.map(row => toLeader(LEADER.decode(row))), next, asOfBlock: String(newest.number) }
}

/** The sums of a row of `leader` and one of `sums`, one of which may be absent. PostgreSQL computes only the columns that are read. */
const CHANGED = sql.raw(
  LEADER.columns
    .map(({ name, type }) =>
      LEADER.key.some(key => key.name === name)
        ? name
        : `coalesce(${type.merge(`leader.${name}`, `sums.${name}`)}, sums.${name}) as ${name}`,
    )
    .join(', '),
)

async function readNewestBlock(db: Queryable) {
  const { rows } = await sql<{ readonly number: number; readonly timestamp: number }>`
    select cursor_number as number, cursor_timestamp as timestamp from chain_state where cursor_number is not null`.execute(db)
  return rows[0] ?? null
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
