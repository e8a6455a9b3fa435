import { sql } from 'kysely'
import type { Page } from '#resources/resource.ts'
import type { Trader, TraderCursor, TradersQuery } from '#resources/traders.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { selectList } from '#store/rows/selectList.ts'
import { BALANCE, type BalanceRow, IS_TRADER, TRADER_SORT_VALUES } from '#tables/balance.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { pageOf } from './pageOf.ts'
import { secondsToIso } from './trimScale.ts'
import { type StoredPrice, valueBalance, wholeOf } from './valueBalance.ts'

type ListedRow = StoredPrice & { readonly sortValue: string | null } & (StoredRow<BalanceRow> | { readonly holder: null })

/**
 * One page of a token's traders, the largest value first, ties by falling address, those without a value last; `null` when the token is not
 * indexed. Every sort is one range of an index.
 */
export async function readTraders(
  db: Queryable,
  { address: token, sort, limit, cursor }: TradersQuery,
): Promise<Page<Trader, TraderCursor> | null> {
  const value = sql.raw(TRADER_SORT_VALUES[sort])
  const after =
    cursor === undefined
      ? sql``
      : sql`and (${value}, holder) < (coalesce(${cursor.value}::numeric, '-Infinity'::numeric), ${toBytes(cursor.address)}::bytea)`
  const page = sql<ListedRow>`
    select token.total_supply as "totalSupply", token.decimals, token.price_weth as "priceWeth", token.price_quote * token.quote_usd as "priceUsd",
      nullif(listed.sort_value, '-Infinity'::numeric)::text as "sortValue", ${selectList(BALANCE, 'listed')}
    from token left join lateral (
      select balance.*, ${value} as sort_value from balance
      where balance.token = token.address and ${sql.raw(IS_TRADER)} ${after}
      order by ${value} desc, holder desc limit ${limit + 1}
    ) as listed on true
    where token.address = ${toBytes(token)}
    order by listed.sort_value desc, listed.holder desc`
  const { rows, asOfBlock } = await readAsOf(db, page)
  if (rows.length === 0) return null
  const listed = rows.flatMap(row => (row.holder === null ? [] : [row]))
  const { shown, next } = pageOf(listed, limit, ({ sortValue: value, holder: address }) => ({ value, address }))
  return { data: shown.map(row => toTrader(BALANCE.decode(row), row)), next, asOfBlock }
}

function toTrader(row: BalanceRow, price: StoredPrice): Trader {
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
    ...valueBalance(row, price),
    firstTradeAt: secondsToIso(firstTradeAt ?? 0),
    lastTradeAt: secondsToIso(Math.max(row.lastBuyAt ?? 0, row.lastSellAt ?? 0)),
  }
}

function sumOf(bought: bigint | null, sold: bigint | null): string | null {
  return bought === null || sold === null ? null : wholeOf(bought + sold)
}
