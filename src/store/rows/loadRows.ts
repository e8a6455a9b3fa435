import { type RawBuilder, sql } from 'kysely'
import { type Address, type Hex, isEther } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { MAX_POOLS_TO_WETH } from '#domain/route.ts'
import type { PerWindow } from '#domain/token.ts'
import { perWindow, WINDOW_NAMES, WINDOW_SECONDS, type WindowAging, type WindowName, type WindowReference } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { BALANCE } from '#tables/balance.ts'
import { arrayOf, BIGINT, BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { balancesOf, type CurrentRows, type RowKeys } from '#tables/changes.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import type { StoredRow, Table } from '#tables/tableOf.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import { unnested } from './insertRows.ts'
import { loadLastTrades } from './loadLastTrades.ts'
import { type PendingBatch, pendingRows } from './pendingRows.ts'
import { selectList } from './selectList.ts'

export interface LoadOptions {
  /** Unix seconds of the batch's last block. */
  readonly now: number
  /** Whether to load the tokens of which a trade has left a window by then. Only of stored rows, so not with a pending batch. */
  readonly expired: boolean
  /** A batch that counts as written, though its commit may still be running. */
  readonly pending?: PendingBatch | null
  readonly weth: Address
}

/** More tokens than this have expired at once only after the service was down. */
const EXPECTED_EXPIRED = 1_000

/** The current rows that a batch is projected from. */
export async function loadRows(
  db: Queryable,
  keys: RowKeys,
  { now, expired, pending: batch = null, weth }: LoadOptions,
): Promise<CurrentRows> {
  if (expired && batch !== null) throw new TypeError('what expires beside a pending batch is not known')
  const pending = pendingRows(batch)
  const stored = keys.tokens.filter(address => !pending.tokens.has(address))
  const tokens = byAddress([...(await loadTokens(db, stored, expired ? now : null)), ...pending.tokensOf(keys.tokens)])
  const addresses = [...tokens.keys()]
  const storedBalances = keys.balances.filter(({ token, holder }) => pending.balance(token, holder) === undefined)
  const creatorFees = await loadByKey(db, CREATOR_FEE, keys.creatorFees)
  // Pools of quote currencies are of a token that is no row.
  const pools = await loadMarketPools(db, [...new Set([...addresses, ...keys.tokens])], pending)
  const quotes = await loadQuotes(db, { tokens, pools, currencies: keys.currencies, weth }, pending)
  const aging = await loadAging(db, [...tokens.values()], { before: pending.from, now })
  const lastTrades = await loadLastTrades(db, tokens, keys.makers, { before: pending.from, now })
  return {
    tokens,
    pools,
    quotes,
    balances: balancesOf([...(await loadByKey(db, BALANCE, storedBalances)), ...pending.balancesOf(keys.balances)]),
    creatorFees: new Map([...creatorFees.map(fee => [creatorFeeKey(fee), fee] as const), ...pending.creatorFees]),
    aging: pending.aged(aging, tokens, now),
    lastTrades: pending.lastTrades(lastTrades, addresses),
  }
}

/** The rows by which currencies are worth what they are. */
export async function loadWorths(db: Queryable, currencies: readonly Address[], weth: Address): Promise<CurrentRows> {
  const found = { tokens: new Map<Address, TokenRow>(), pools: new Map<Hex, PoolRow>(), currencies, weth }
  const quotes = await loadQuotes(db, found, pendingRows(null))
  const { tokens, pools } = found
  return { tokens, pools, quotes, balances: new Map(), creatorFees: new Map(), aging: new Map(), lastTrades: new Map() }
}

/** Of two rows with the same address the last one counts. */
function byAddress<Row extends TokenRow | PoolRow>(rows: readonly Row[]): Map<Row['address'], Row> {
  return new Map(rows.map(row => [row.address, row]))
}

/** @param expiredBy loads also the tokens of which a trade has left a window by then */
async function loadTokens(db: Queryable, addresses: readonly Address[], expiredBy: number | null): Promise<readonly TokenRow[]> {
  if (expiredBy === null) return readTokens(db, addresses, sql``)
  // The limit tells the planner that they are few: since the last analyze every value may have expired and been written anew.
  const expired = sql`select address from token where windows_expire_at <= ${expiredBy}::bigint order by windows_expire_at`
  const tokens = await readTokens(db, addresses, sql`union (${expired} limit ${sql.lit(EXPECTED_EXPIRED)})`)
  return tokens.length < EXPECTED_EXPIRED ? tokens : readTokens(db, addresses, sql`union (${expired})`)
}

async function readTokens(db: Queryable, addresses: readonly Address[], others: RawBuilder<unknown>): Promise<readonly TokenRow[]> {
  // "offset 0" makes it an index look-up per address. A plain join may be planned as a scan of all tokens.
  const { rows } = await sql<StoredRow<TokenRow>>`
    select ${selectList(TOKEN)} from (select unnest(${binaryArray(BYTEA, addresses)}::bytea[]) as address ${others}) as wanted
    cross join lateral (select * from token where token.address = wanted.address offset 0) as token`.execute(db)
  return rows.map(TOKEN.decode)
}

type Pending = ReturnType<typeof pendingRows>

async function loadMarketPools(db: Queryable, tokens: readonly Address[], pending: Pending): Promise<Map<Hex, PoolRow>> {
  return byAddress([...(await loadPools(db, tokens)), ...pending.poolsOf(tokens)])
}

/**
 * Loads what the quote currencies of the pools are worth by: their own pools, and what those are quoted in. Adds the pools to the others.
 * Where all pools are in ether, there is nothing to read.
 *
 * @returns the markets of those that are indexed tokens
 */
async function loadQuotes(
  db: Queryable,
  found: {
    readonly tokens: CurrentRows['tokens']
    readonly pools: Map<Hex, PoolRow>
    readonly currencies: readonly Address[]
    readonly weth: Address
  },
  pending: Pending,
): Promise<CurrentRows['quotes']> {
  const quotes = new Map<Address, TokenRow>()
  const seen = new Set<Address>()
  let next: readonly Address[] = [...found.currencies, ...[...found.pools.values()].map(({ quoteToken }) => quoteToken)]
  for (let hop = 0; hop < MAX_POOLS_TO_WETH; hop++) {
    const wanted = [...new Set(next)].filter(currency => !isEther(currency, found.weth) && !seen.has(currency))
    if (wanted.length === 0) break
    for (const currency of wanted) seen.add(currency)
    const unknown = wanted.filter(currency => !found.tokens.has(currency))
    for (const row of [...(await readTokens(db, unknown, sql``)), ...pending.tokensOf(unknown)]) quotes.set(row.address, row)
    const pools = await loadMarketPools(db, wanted, pending)
    for (const pool of pools.values()) found.pools.set(pool.address, pool)
    next = [...pools.values()].map(({ quoteToken }) => quoteToken)
  }
  return quotes
}

async function loadPools(db: Queryable, tokens: readonly Address[]): Promise<readonly PoolRow[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<StoredRow<PoolRow>>`
    select ${selectList(POOL)} from pool where token = any(${binaryArray(BYTEA, tokens)}::bytea[])`.execute(db)
  return rows.map(POOL.decode)
}

async function loadByKey<Row>(db: Queryable, table: Table<Row>, keys: readonly Partial<Row>[]): Promise<readonly Row[]> {
  if (keys.length === 0) return []
  const names = sql.join(table.key.map(({ name }) => sql.id(name)))
  const { rows } = await sql<StoredRow<Row>>`
    select ${selectList(table)} from (select ${unnested(table.key, keys)}) as wanted join ${sql.table(table.name)} using (${names})`.execute(
    db,
  )
  return rows.map(table.decode)
}

interface AgingRow {
  readonly token: Address
  readonly window_name: WindowName
  readonly volume: string
  readonly buy_volume: string
  readonly buys: number
  readonly sells: number
  readonly oldest_at: number | null
  readonly reference_price: string | null
  readonly reference_at: number | null
  readonly reference_pool: Hex | null
}

/**
 * How the tokens' windows have aged, from stored trades: index look-ups at both ends of each window, and a scan of the trades that left it
 * since its totals were computed. The same as `ageWindow`.
 *
 * A token that has a price keeps one, so the last trade before a window has its reference price, or there is none. Looking for the last
 * trade with a price would read the whole history of a token without any.
 *
 * @param before only trades of earlier blocks count; `null`: all
 */
async function loadAging(
  db: Queryable,
  tokens: readonly TokenRow[],
  { before, now }: { readonly before: number | null; readonly now: number },
): Promise<Map<Address, PerWindow<WindowAging>>> {
  if (tokens.length === 0) return new Map()
  const stored = before === null ? sql`` : sql`and block_number < ${before}::bigint`
  const { rows } = await sql<AgingRow>`
    select asked.token, win.name as window_name, leaving.volume, leaving.buy_volume, leaving.buys, leaving.sells, oldest.at as oldest_at,
      reference.price as reference_price, reference.at as reference_at, reference.pool as reference_pool
    from unnest(${arrayOf(BYTEA, tokens, 'address')}::bytea[], ${arrayOf(BIGINT, tokens, 'windowsAt')}::bigint[],
      ${arrayOf(BIGINT, tokens, 'createdAt')}::bigint[]) as asked (token, was, created_at)
    cross join unnest(${WINDOW_NAMES}::text[], ${WINDOW_NAMES.map(name => WINDOW_SECONDS[name])}::bigint[]) as win (name, seconds)
    cross join lateral (
      select coalesce(sum(amount_wei), 0)::text as volume,
        coalesce(sum(amount_wei) filter (where side = 'buy'), 0)::text as buy_volume,
        (count(*) filter (where side = 'buy'))::int as buys, (count(*) filter (where side = 'sell'))::int as sells
      from trade where asked.created_at <= ${now} - win.seconds and trade.token = asked.token
        and timestamp > asked.was - win.seconds and timestamp <= least(${now} - win.seconds, asked.was) ${stored}
    ) as leaving
    left join lateral (
      select timestamp as at from trade where trade.token = asked.token and timestamp > ${now} - win.seconds ${stored}
      order by timestamp limit 1
    ) as oldest on true
    left join lateral (
      select price_after_weth::text as price, timestamp as at, pool from trade
      where asked.created_at <= ${now} - win.seconds and trade.token = asked.token and timestamp <= ${now} - win.seconds ${stored}
      order by timestamp desc, block_number desc, log_index desc limit 1
    ) as reference on true`.execute(db)
  const byToken = Map.groupBy(rows, row => row.token)
  return new Map([...byToken].map(([token, ofToken]) => [token, perWindow(name => agingOf(ofToken.find(row => row.window_name === name)))]))
}

function agingOf(row: AgingRow | undefined): WindowAging {
  if (row === undefined) throw new TypeError('the statement gives a row per token and window')
  return {
    leaving: { volumeWei: BigInt(row.volume), buyVolumeWei: BigInt(row.buy_volume), buys: row.buys, sells: row.sells },
    oldestAt: row.oldest_at,
    reference: referenceOf(row),
  }
}

function referenceOf({ reference_price: price, reference_at: timestamp, reference_pool: pool }: AgingRow): WindowReference | null {
  return price === null || timestamp === null || pool === null ? null : { priceWeth: parseDecimal(price), timestamp, pool }
}
