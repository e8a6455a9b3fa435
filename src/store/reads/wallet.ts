import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import {
  type Decimal,
  formatAmount,
  formatDecimal,
  formatUnits,
  multiply,
  parseDecimal,
  percentOf,
  powerOfTen,
  ratio,
  units,
} from '#domain/decimal.ts'
import type { Page } from '#resources/resource.ts'
import type { Holding, HoldingCursor, HoldingSort, HoldingsQuery, ValuedBalance, Wallet } from '#resources/wallet.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUp, selectList } from '#store/rows/insertRows.ts'
import { BALANCE, type BalanceRow } from '#tables/balance.ts'
import { type StoredRow, toBytes } from '#tables/columns.ts'
import { TRADER, type TraderRow } from '#tables/totals.ts'
import { pageOf, readAsOf, secondsToIso, trimScale } from './page.ts'

type WalletRow = (StoredRow<TraderRow> | { readonly maker: null }) & {
  readonly held: number
  readonly heldValue: string | null
  readonly created: number
  readonly firstCreatedAt: number | null
  readonly lastCreatedAt: number | null
}

/** Reads any account. One row has the totals of its trades. Its holdings, up to a limit, and the tokens it created are counted here. */
export async function readWallet(db: Queryable, address: Address): Promise<Wallet> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<WalletRow>`
    select ${selectList(TRADER)}, held.tokens as held, held.value as "heldValue", created.tokens as created,
      created.first_at as "firstCreatedAt", created.last_at as "lastCreatedAt"
    from (select) as one
    left join trader on trader.maker = ${toBytes(address)}
    cross join (
      select count(*)::integer as tokens, sum(value)::text as value from (${valuedHoldings(address, MAX_HOLDINGS + 1)}) as valued
    ) as held
    cross join (
      select count(*)::integer as tokens, min(created_at) as first_at, max(created_at) as last_at from token
      where token.creator = ${toBytes(address)}
    ) as created`,
  )
  const [row] = rows
  if (row === undefined) throw new TypeError('the statement gives one row')
  const { held, heldValue, created, firstCreatedAt, lastCreatedAt } = row
  const traded = row.maker === null ? null : TRADER.decode(row)
  const { tokens = 0, tokensWithoutWei = 0, tokensWithoutUsd = 0 } = traded ?? {}
  const isCounted = held <= MAX_HOLDINGS
  const value = held === 0 ? '0' : heldValue === null ? null : formatAmount(parseDecimal(heldValue))
  const seen = [firstCreatedAt, lastCreatedAt, traded?.firstTradeAt, traded?.lastTradeAt].filter(time => typeof time === 'number')
  return {
    address,
    tokensHeld: isCounted ? held : null,
    valueWeth: isCounted ? value : null,
    valueUsd: null,
    trades: traded?.trades ?? 0,
    tokensTraded: tokens,
    volumeWeth: wholeOf(traded?.volumeWei ?? 0n),
    realizedWeth: tokens > 0 && tokens === tokensWithoutWei ? null : wholeOf(traded?.realizedWei ?? 0n),
    realizedUsd: tokens > 0 && tokens === tokensWithoutUsd ? null : wholeOf(traded?.realizedUsd ?? 0n),
    tokensWithoutWethProfit: tokensWithoutWei,
    tokensWithoutUsdProfit: tokensWithoutUsd,
    tokensCreated: created,
    firstSeenAt: seen.length === 0 ? null : secondsToIso(Math.min(...seen)),
    lastSeenAt: seen.length === 0 ? null : secondsToIso(Math.max(...seen)),
    asOfBlock,
  }
}

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
function valuedHoldings(wallet: Address, limit: number, after?: HoldingCursor): RawBuilder<unknown> {
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

/** The decimals of amounts in wei and in 10^-18 USD. */
const DECIMALS = 18

/** The columns of a token by which a balance is valued, as the driver returns them. */
export interface StoredPrice {
  readonly totalSupply: string
  readonly decimals: number
  readonly priceWeth: string | null
  /** The price by a peg; `null`: there is no peg. */
  readonly priceUsd: string | null
}

/** Values a balance. Leaves out USD values at the present price of ETH. */
export function valueBalance(row: BalanceRow, { totalSupply, decimals, priceWeth, priceUsd }: StoredPrice): ValuedBalance {
  const { costWei, costUsd, realizedWei, realizedUsd } = row
  const balance = row.balance < 0n ? null : row.balance
  const valueAt = (price: string | null) =>
    balance === null || price === null ? null : multiply(parseDecimal(price), units(balance, decimals))
  const [value, valueUsd] = [valueAt(priceWeth), valueAt(priceUsd)]
  const perToken = (cost: bigint | null) => {
    const average = cost === null || balance === null ? null : ratio(cost * powerOfTen(decimals), balance * powerOfTen(DECIMALS))
    return average === null ? null : formatDecimal(average)
  }
  return {
    balance: balance?.toString() ?? null,
    percent: balance === null ? null : (percentOf(balance, BigInt(totalSupply)) ?? 0),
    valueWeth: value === null ? null : formatAmount(value),
    valueUsd: valueUsd === null ? null : formatAmount(valueUsd),
    costWeth: wholeOf(costWei),
    costUsd: wholeOf(costUsd),
    averageCostWeth: perToken(costWei),
    averageCostUsd: perToken(costUsd),
    unrealizedWeth: value === null || costWei === null ? null : formatAmount((value - units(costWei, DECIMALS)) as Decimal),
    unrealizedUsd: null,
    realizedWeth: wholeOf(realizedWei),
    realizedUsd: wholeOf(realizedUsd),
  }
}

/** Wei as WETH, or 10^-18 USD as USD. */
export function wholeOf(amount: bigint): string
export function wholeOf(amount: bigint | null): string | null
export function wholeOf(amount: bigint | null): string | null {
  return amount === null ? null : formatUnits(amount, DECIMALS)
}
