import { type RawBuilder, sql } from 'kysely'
import { CLASS_BITS, classesOf } from '#domain/holder.ts'
import { TokenwireError } from '#errors'
import type { Page } from '#resources/resource.ts'
import type { Leader, LeaderCursor, LeadersQuery, Trader, TraderCursor, TradersQuery } from '#resources/traders.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp, selectList } from '#store/rows/insertRows.ts'
import { AMOUNT_USD, readLeftBlock, SUMS, tradesIn } from '#store/rows/leaders.ts'
import { BALANCE, type BalanceRow, IS_EARLY_TRADER, IS_TRADER, TRADER_SORT_VALUES } from '#tables/balance.ts'
import { type StoredRow, toBytes } from '#tables/columns.ts'
import { LEADER, LEADER_SORT_VALUES, type LeaderRow } from '#tables/leader.ts'
import { MAX_LOOKED_AT } from './holders.ts'
import { pageOf, readAsOf, secondsToIso } from './page.ts'
import { type StoredPrice, valueBalance, wholeOf } from './wallet.ts'

interface TokenPart extends StoredPrice {
  /** Whether the token's early classes are known. */
  readonly isKnown: boolean
}

type ListedRow = TokenPart & { readonly sortValue: string | null; readonly place: number } & (
    | StoredRow<BalanceRow>
    | { readonly holder: null }
  )

/**
 * One page of a token's traders, the largest value first, ties by falling address, those without a value last; `null` when the token is not
 * indexed. Every sort is one range of an index, of all traders or of those with an early class. A page of one class looks at a limited
 * number of the latter, so it may have fewer than `limit`, even none, and a next page.
 */
export async function readTraders(db: Queryable, query: TradersQuery): Promise<Page<Trader, TraderCursor> | null> {
  const { address: token, sort, class: wanted, limit, cursor } = query
  const value = sql.raw(TRADER_SORT_VALUES[sort])
  const after =
    cursor === undefined
      ? sql``
      : sql`and (${value}, holder) < (coalesce(${cursor.value}::numeric, '-Infinity'::numeric), ${toBytes(cursor.address)}::bytea)`
  const bit = wanted === undefined ? null : CLASS_BITS[wanted]
  const lookedAt = bit === null ? limit + 1 : Math.max(limit + 1, MAX_LOOKED_AT)
  // The last trader that was read is listed too, because the next page begins after it.
  const page = sql<ListedRow>`
    select token.total_supply as "totalSupply", token.decimals, token.price_weth as "priceWeth", token.price_quote * token.quote_usd as "priceUsd",
      token.creator_held is not null as "isKnown", nullif(listed.sort_value, '-Infinity'::numeric)::text as "sortValue",
      listed.place::integer as place, ${selectList(BALANCE, 'listed')}
    from token left join lateral (
      select * from (
        select balance.*, ${value} as sort_value, row_number() over (order by ${value} desc, holder desc) as place from balance
        where balance.token = token.address and ${sql.raw(bit === null ? IS_TRADER : IS_EARLY_TRADER)} ${after}
        order by ${value} desc, holder desc limit ${lookedAt}
      ) as looked
      where ${bit === null ? sql`true` : sql`looked.classes & ${sql.lit(bit)} <> 0 or looked.place = ${lookedAt}`}
      order by looked.sort_value desc, looked.holder desc limit ${limit + 1}
    ) as listed on true
    where token.address = ${toBytes(token)}
    order by listed.sort_value desc, listed.holder desc`
  const { rows, asOfBlock } = await readAsOf(db, page)
  if (rows.length === 0) return null
  const listed = rows.flatMap(row => (row.holder === null ? [] : [row]))
  const data = listed.filter(({ classes }) => bit === null || (classes & bit) !== 0).slice(0, limit)
  const last = listed.length > limit ? listed[limit - 1] : listed.at(-1)
  const more = last !== undefined && (listed.length > limit || last.place === lookedAt)
  const next = more ? { value: last.sortValue, address: last.holder } : null
  return { data: data.map(row => toTrader(BALANCE.decode(row), row)), next, asOfBlock }
}

function toTrader(row: BalanceRow, token: TokenPart): Trader {
  const { holder, type, buys, sells, boughtToken, soldToken, boughtWei, boughtUsd, soldWei, soldUsd, firstTradeAt } = row
  return {
    address: holder,
    type,
    buys,
    sells,
    boughtToken: boughtToken.toString(),
    soldToken: soldToken.toString(),
    boughtWeth: wholeOf(boughtWei),
    boughtUsd: wholeOf(boughtUsd),
    soldWeth: wholeOf(soldWei),
    soldUsd: wholeOf(soldUsd),
    volumeWeth: sumOf(boughtWei, soldWei),
    volumeUsd: sumOf(boughtUsd, soldUsd),
    ...valueBalance(row, token),
    firstTradeAt: secondsToIso(firstTradeAt ?? 0),
    lastTradeAt: secondsToIso(Math.max(row.lastBuyAt ?? 0, row.lastSellAt ?? 0)),
    classes: token.isKnown ? classesOf(row.classes) : null,
  }
}

function sumOf(bought: bigint | null, sold: bigint | null): string | null {
  return bought === null || sold === null ? null : wholeOf(bought + sold)
}

/** The most trades after the counted ones that a request sums up, in about 0.2 s. With more, the window is still being counted. */
const MAX_UNCOUNTED = 100_000

type ListedLeader = { readonly uncounted: number; readonly sortValue: string } & (StoredRow<LeaderRow> | { readonly maker: null })

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
  const { rows } = await sql<ListedLeader>`
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
