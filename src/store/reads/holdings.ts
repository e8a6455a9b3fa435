import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Holding, HoldingCursor, HoldingSort, HoldingsQuery } from '#resources/holdings.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUp } from '#store/rows/lookUp.ts'
import { selectList } from '#store/rows/selectList.ts'
import { BALANCE, type BalanceRow } from '#tables/balance.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { pageOf } from './pageOf.ts'
import { trimScale } from './trimScale.ts'
import { type StoredPrice, valueBalance } from './valueBalance.ts'

/** The most tokens of a wallet that are sorted by value or balance: those whose balances changed last. */
export const MAX_HOLDINGS = 2_000

type ListedRow = StoredPrice &
  StoredRow<BalanceRow> &
  Pick<Holding['token'], 'symbol' | 'name' | 'imageUrl' | 'launchpad'> & { readonly sortValue: string | null }

const SORT_VALUES: Readonly<Record<HoldingSort, RawBuilder<unknown>>> = {
  value: sql`coalesce(held.value, -1)`,
  balance: sql`held.balance`,
  lastChanged: sql`held.last_changed_block::numeric`,
}

/** One page of the tokens that a wallet holds: the largest sort value first, ties by falling address, tokens without a value last. */
export async function readHoldings(db: Queryable, query: HoldingsQuery): Promise<Page<Holding, HoldingCursor>> {
  const { address: wallet, sort, limit, cursor } = query
  const isByBlock = sort === 'lastChanged'
  const value = SORT_VALUES[sort]
  const after =
    cursor === undefined
      ? sql``
      : sql`where (${value}, held.token) < (coalesce(${cursor.value}::numeric, -1), ${toBytes(cursor.token)}::bytea)`
  const held = isByBlock ? valuedHoldings(wallet, limit + 1, cursor) : valuedHoldings(wallet, MAX_HOLDINGS)
  const page = sql<ListedRow>`
    with held as (${held}),
    page as (select held.token, ${value} as sort_value from held ${after} order by 2 desc, 1 desc limit ${limit + 1})
    select ${selectList(BALANCE, 'balance')}, token.total_supply as "totalSupply", token.decimals, token.price_weth as "priceWeth", token.price_quote * token.quote_usd as "priceUsd", token.symbol,
      token.name, token.image_url as "imageUrl", token.launchpad, nullif(page.sort_value, -1)::text as "sortValue"
    from page
    ${lookUp('balance', sql`balance.token = page.token and balance.holder = ${toBytes(wallet)}`)}
    ${lookUp('token', sql`token.address = page.token`)}
    order by page.sort_value desc, page.token desc`
  const { rows, asOfBlock } = await readAsOf(db, page)
  const { shown, next } = pageOf(rows, limit, ({ sortValue: value, token }) => ({ value, token }))
  return { data: shown.map(row => toHolding(BALANCE.decode(row), row)), next, asOfBlock }
}

/** SQL of a wallet's most recently changed balances with their values in WETH. Costs two look-ups per balance. */
export function valuedHoldings(wallet: Address, limit: number, after?: HoldingCursor): RawBuilder<unknown> {
  const beyond =
    after === undefined ? sql`` : sql`and (last_changed_block, balance.token) < (${after.value}::bigint, ${toBytes(after.token)}::bytea)`
  return sql`
    select recent.*, round(recent.balance * token.price_weth * ('1e-' || token.decimals)::numeric, 60) as value
    from (
      select balance.token, balance.balance, balance.last_changed_block from balance
      where balance.holder = ${toBytes(wallet)} and balance.balance > 0 ${beyond}
      order by last_changed_block desc, balance.token desc limit ${limit}
    ) as recent
    ${lookUp('token', sql`token.address = recent.token`)}`
}

function toHolding(row: BalanceRow, stored: Omit<ListedRow, keyof BalanceRow>): Holding {
  const { symbol, name, decimals, imageUrl, launchpad } = stored
  return {
    token: {
      address: row.token,
      symbol,
      name,
      decimals,
      imageUrl,
      launchpad,
      priceWeth: trimScale(stored.priceWeth),
      priceUsd: trimScale(stored.priceUsd),
    },
    ...valueBalance(row, stored),
    lastChangedBlock: String(row.lastChangedBlock),
  }
}
