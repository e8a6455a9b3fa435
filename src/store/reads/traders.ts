import { sql } from 'kysely'
import { CLASS_BITS, classesOf } from '#domain/earlyWallets.ts'
import type { Page } from '#resources/resource.ts'
import type { Trader, TraderCursor, TradersQuery } from '#resources/traders.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { selectList } from '#store/rows/selectList.ts'
import { BALANCE, type BalanceRow, IS_EARLY_TRADER, IS_TRADER, TRADER_SORT_VALUES } from '#tables/balance.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { MAX_LOOKED_AT } from './holders.ts'
import { secondsToIso } from './trimScale.ts'
import { type StoredPrice, valueBalance, wholeOf } from './valueBalance.ts'

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
