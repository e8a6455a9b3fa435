import { type RawBuilder, sql } from 'kysely'
import { type Address, type Hex, isEther } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { parseDecimal } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/maps.ts'
import { MAX_POOLS_TO_WETH } from '#domain/prices.ts'
import type { TradeSide } from '#domain/trade.ts'
import {
  ageWindow,
  type PerWindow,
  perWindow,
  WINDOW_NAMES,
  WINDOW_SECONDS,
  type WindowAging,
  type WindowName,
  type WindowReference,
} from '#domain/windows.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { BALANCE } from '#tables/balance.ts'
import { arrayOf, BIGINT, BYTEA, binaryArray, INTEGER } from '#tables/binaryArray.ts'
import { type BalanceKey, balancesOf, type Changes, type CurrentRows, type RowKeys, type TickRange } from '#tables/changes.ts'
import type { StoredRow, Table } from '#tables/columns.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import { POOL_TICK, type PoolTickRow } from '#tables/poolTick.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import { lookUp, parameter, selectList, unnested } from './insertRows.ts'

export interface LoadOptions {
  /** Unix seconds of the batch's last block. */
  readonly now: number
  /** Whether to also load the tokens of which a trade has left a window by `now`. Not possible with a pending batch. */
  readonly expired: boolean
  /** A batch that counts as committed, though its commit may still be running; `null`: none. */
  readonly pending: PendingBatch | null
  readonly weth: Address
}

/** The current rows that a batch is projected from. */
export async function loadRows(db: Queryable, keys: RowKeys, { now, expired, pending, weth }: LoadOptions): Promise<CurrentRows> {
  if (expired && pending !== null) throw new TypeError('the tokens that expire are not known while a batch is pending')
  const latest = new LatestRows(db, pending)
  const [tokens, creatorFees, balances] = await Promise.all([
    latest.tokens(keys.tokens, expired ? now : null),
    latest.creatorFees(keys.creatorFees),
    latest.balances(keys.balances),
  ])
  const [traded, aging, lastTrades] = await Promise.all([
    // The token of a pool that only values a quote currency has no row.
    latest.poolsOf([...new Set([...tokens.keys(), ...keys.tokens])]),
    latest.aging(tokens, now),
    latest.lastTrades(tokens, balances, now),
  ])
  const { quotes, pools } = await loadQuotes(latest, { tokens, pools: traded, currencies: keys.currencies, weth })
  const ticks = await latest.ticks(keys.ticks, pools)
  return { tokens, pools, quotes, ticks, balances, creatorFees, aging, lastTrades }
}

/** Loads the rows that determine the rates of currencies. */
export async function loadRates(db: Queryable, currencies: readonly Address[], weth: Address): Promise<CurrentRows> {
  const nothing = {
    tokens: new Map(),
    ticks: new Map(),
    balances: new Map(),
    creatorFees: new Map(),
    aging: new Map(),
    lastTrades: new Map(),
  }
  const { quotes, pools } = await loadQuotes(new LatestRows(db, null), { ...nothing, pools: new Map(), currencies, weth })
  return { ...nothing, pools, quotes }
}

interface Traded extends Pick<CurrentRows, 'tokens' | 'pools'> {
  /** Currencies that are wanted besides those that the pools are quoted in. */
  readonly currencies: readonly Address[]
  readonly weth: Address
}

/**
 * Loads the rows that determine the rates of the pools' quote currencies: the currencies' own pools, then the pools of the currencies that
 * those are quoted in, and so on up to ether. Where all pools are quoted in ether, there is nothing to read.
 *
 * @returns the markets of quote currencies that are indexed tokens, and all pools, including the given ones
 */
export async function loadQuotes(
  latest: LatestRows,
  { tokens, pools: traded, currencies, weth }: Traded,
): Promise<Pick<CurrentRows, 'quotes' | 'pools'>> {
  const quotes = new Map<Address, TokenRow>()
  const pools = new Map(traded)
  const seen = new Set<Address>()
  let next: readonly Address[] = [...currencies, ...[...traded.values()].map(({ quoteToken }) => quoteToken)]
  for (let hop = 0; hop < MAX_POOLS_TO_WETH; hop++) {
    const wanted = [...new Set(next)].filter(currency => !isEther(currency, weth) && !seen.has(currency))
    if (wanted.length === 0) break
    for (const currency of wanted) seen.add(currency)
    const unknown = wanted.filter(currency => !tokens.has(currency))
    const [rows, found] = await Promise.all([latest.tokens(unknown), latest.poolsOf(wanted)])
    for (const row of rows.values()) quotes.set(row.address, row)
    for (const pool of found.values()) pools.set(pool.address, pool)
    next = [...found.values()].map(({ quoteToken }) => quoteToken)
  }
  return { quotes, pools }
}

/** A batch that is about to be written, or is being written. */
interface PendingBatch {
  /** Its first block. */
  readonly from: number
  readonly changes: Pick<Changes, 'tokens' | 'pools' | 'ticks' | 'balances' | 'creatorFees' | 'trades'>
}

const NOTHING: PendingBatch['changes'] = { tokens: [], pools: [], ticks: [], balances: [], creatorFees: [], trades: [] }

/**
 * The rows as they are once a pending batch is committed, whether or not the database has the batch yet. The batch's rows replace the
 * stored ones, and of stored trades only those of earlier blocks are read.
 */
class LatestRows {
  readonly #db: Queryable
  /** The first block of the pending batch; `null`: no batch is pending. */
  readonly #before: number | null
  readonly #tokens: ReadonlyMap<Address, TokenRow>
  readonly #pools: ReadonlyMap<Address, readonly PoolRow[]>
  readonly #ticks: PendingBatch['changes']['ticks']
  readonly #balances: CurrentRows['balances']
  readonly #creatorFees: CurrentRows['creatorFees']
  readonly #trades: ReadonlyMap<Address, Changes['trades']>

  constructor(db: Queryable, batch: PendingBatch | null) {
    const { tokens, pools, ticks, balances, creatorFees, trades } = batch?.changes ?? NOTHING
    this.#db = db
    this.#before = batch?.from ?? null
    this.#tokens = byAddress(tokens)
    this.#pools = Map.groupBy(pools, ({ token }) => token)
    this.#ticks = ticks
    this.#balances = balancesOf(balances)
    this.#creatorFees = new Map(creatorFees.map(fee => [creatorFeeKey(fee), fee]))
    this.#trades = Map.groupBy(trades, ({ token }) => token)
  }

  /**
   * @param expiredBy Unix seconds: also loads the stored tokens of which a trade has left a window by then; `null`: only the given tokens
   */
  async tokens(addresses: readonly Address[], expiredBy: number | null = null): Promise<ReadonlyMap<Address, TokenRow>> {
    const stored = await loadTokens(
      this.#db,
      addresses.filter(address => !this.#tokens.has(address)),
      expiredBy,
    )
    return byAddress([...stored, ...addresses.flatMap(address => this.#tokens.get(address) ?? [])])
  }

  /** The tokens' pools by pool address. */
  async poolsOf(tokens: readonly Address[]): Promise<Map<Hex, PoolRow>> {
    return byAddress([...(await loadPools(this.#db, tokens)), ...tokens.flatMap(token => this.#pools.get(token) ?? [])])
  }

  /** The ticks of these ranges that have liquidity, and all ticks of the pending batch. */
  async ticks(ranges: RowKeys['ticks'], pools: CurrentRows['pools']): Promise<CurrentRows['ticks']> {
    const stored = await loadTicks(
      this.#db,
      ranges.map(range => (range.isPrice ? fromPresent(range, pools.get(range.pool)?.tick ?? null) : range)),
    )
    const ticks = new Map<Hex, Map<number, PoolTickRow>>()
    for (const row of [...stored, ...this.#ticks]) getOrInsert(ticks, row.pool, () => new Map()).set(row.tick, row)
    return ticks
  }

  async balances(keys: RowKeys['balances']): Promise<CurrentRows['balances']> {
    const pendingOf = ({ token, holder }: BalanceKey) => this.#balances.get(token)?.get(holder)
    const others = keys.filter(key => pendingOf(key) === undefined)
    return balancesOf([...(await loadByKey(this.#db, BALANCE, others)), ...keys.flatMap(key => pendingOf(key) ?? [])])
  }

  /** The creator fees of these keys, and all of the pending batch. */
  async creatorFees(keys: RowKeys['creatorFees']): Promise<CurrentRows['creatorFees']> {
    const stored = await loadByKey(this.#db, CREATOR_FEE, keys)
    return new Map([...stored.map(fee => [creatorFeeKey(fee), fee] as const), ...this.#creatorFees])
  }

  /** The trades that have left these tokens' windows by `now`, and the price at each window's start, the pending batch included. */
  async aging(tokens: CurrentRows['tokens'], now: number): Promise<CurrentRows['aging']> {
    const aging = await loadAging(this.#db, [...tokens.values()], { before: this.#before, now })
    return new Map(
      [...aging].map(([address, stored]) => {
        const made = this.#trades.get(address)
        const was = tokens.get(address)?.windowsAt
        if (made === undefined || was === undefined) return [address, stored]
        const moved = (length: number) => ({ after: was - length, start: now - length })
        return [address, perWindow(name => ageWindow(stored[name], made, moved(WINDOW_SECONDS[name])))]
      }),
    )
  }

  /** When the holders in `balances`, and the makers of trades that have left a window, last bought and sold. */
  async lastTrades(tokens: CurrentRows['tokens'], balances: CurrentRows['balances'], now: number): Promise<CurrentRows['lastTrades']> {
    const leaving = await loadLeavingLastTrades(this.#db, [...tokens.values()], { before: this.#before, now })
    const last = new Map(
      [...tokens.keys()].map(address => [address, { buy: new Map<Address, number>(), sell: new Map<Address, number>() }]),
    )
    for (const { token, side, maker, timestamp } of leaving) last.get(token)?.[side].set(maker, timestamp)
    for (const made of this.#trades.values()) {
      for (const { token, side, maker, timestamp } of made) last.get(token)?.[side].set(maker, timestamp)
    }
    for (const [token, ofToken] of balances) {
      for (const { holder, lastBuyAt, lastSellAt } of ofToken.values()) {
        if (lastBuyAt !== null) last.get(token)?.buy.set(holder, lastBuyAt)
        if (lastSellAt !== null) last.get(token)?.sell.set(holder, lastSellAt)
      }
    }
    return last
  }
}

/** The rows by their addresses: a later row replaces an earlier one. */
function byAddress<Row extends TokenRow | PoolRow>(rows: readonly Row[]): Map<Row['address'], Row> {
  return new Map(rows.map(row => [row.address, row]))
}

/** More tokens than this have expired at once only after the service was down. */
const EXPECTED_EXPIRED = 1_000

/** @param expiredBy as in `LatestRows.tokens` */
async function loadTokens(db: Queryable, addresses: readonly Address[], expiredBy: number | null): Promise<readonly TokenRow[]> {
  if (expiredBy === null) return addresses.length === 0 ? [] : readTokens(db, addresses, sql``)
  // The limit tells the planner that they are few. Since the last analyze, every value may have expired and been replaced.
  const expired = sql`select address from token where windows_expire_at <= ${parameter(expiredBy, 'bigint')} order by windows_expire_at`
  const tokens = await readTokens(db, addresses, sql`union (${expired} limit ${sql.lit(EXPECTED_EXPIRED)})`)
  return tokens.length < EXPECTED_EXPIRED ? tokens : readTokens(db, addresses, sql`union (${expired})`)
}

async function readTokens(db: Queryable, addresses: readonly Address[], others: RawBuilder<unknown>): Promise<readonly TokenRow[]> {
  const { rows } = await sql<StoredRow<TokenRow>>`
    select ${selectList(TOKEN)} from (select unnest(${parameter(binaryArray(BYTEA, addresses), 'bytea[]')}) as address ${others}) as wanted
    ${lookUp('token', sql`token.address = wanted.address`)}`.execute(db)
  return rows.map(TOKEN.decode)
}

async function loadPools(db: Queryable, tokens: readonly Address[]): Promise<readonly PoolRow[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<StoredRow<PoolRow>>`
    select ${selectList(POOL)} from pool where token = any(${parameter(binaryArray(BYTEA, tokens), 'bytea[]')}::bytea[])`.execute(db)
  return rows.map(POOL.decode)
}

/** The range, extended to the pool's present tick. */
function fromPresent(range: TickRange, present: number | null): TickRange {
  return present === null ? range : { ...range, from: Math.min(range.from, present), to: Math.max(range.to, present) }
}

async function loadTicks(db: Queryable, ranges: readonly TickRange[]): Promise<readonly PoolTickRow[]> {
  if (ranges.length === 0) return []
  // "offset 0": as in `lookUp`, for each range.
  const { rows } = await sql<StoredRow<PoolTickRow>>`
    select ${selectList(POOL_TICK)} from (
      select unnest(${parameter(arrayOf(BYTEA, ranges, 'pool'), 'bytea[]')}) as pool,
        unnest(${parameter(arrayOf(INTEGER, ranges, 'from'), 'integer[]')}) as first,
        unnest(${parameter(arrayOf(INTEGER, ranges, 'to'), 'integer[]')}) as last
    ) as wanted
    cross join lateral (
      select * from pool_tick where pool_tick.pool = wanted.pool and tick between wanted.first and wanted.last and liquidity <> 0 offset 0
    ) as pool_tick`.execute(db)
  return rows.map(POOL_TICK.decode)
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

/** Which stored trades count: those of blocks before `before` (`null`: all), in windows that end at `now` (Unix seconds). */
interface StoredTradesAt {
  readonly before: number | null
  readonly now: number
}

const WINDOWS = sql.raw(
  `(values ${WINDOW_NAMES.map(name => `('${name}', ${WINDOW_SECONDS[name]}::bigint)`).join(', ')}) as win (name, seconds)`,
)

function asked(tokens: readonly TokenRow[]): RawBuilder<unknown> {
  const addresses = parameter(arrayOf(BYTEA, tokens, 'address'), 'bytea[]')
  const windowsAt = parameter(arrayOf(BIGINT, tokens, 'windowsAt'), 'bigint[]')
  const createdAt = parameter(arrayOf(BIGINT, tokens, 'createdAt'), 'bigint[]')
  const expireAt = parameter(arrayOf(BIGINT, tokens, 'windowsExpireAt'), 'bigint[]')
  return sql`unnest(${addresses}, ${windowsAt}, ${createdAt}, ${expireAt}) as asked (token, was, created_at, expires_at)`
}

/**
 * The trades of `asked.token` that have left the window `win` since its totals were computed. The order and "offset 0" make them a range of
 * the index by time. Otherwise the planner may read all trades of the token, or of all tokens, for their block numbers.
 */
function leavingTrades({ before, now }: StoredTradesAt): RawBuilder<unknown> {
  const stored = before === null ? sql`` : sql`where block_number < ${before}::bigint`
  return sql`(
      select * from (
        select * from trade where asked.expires_at <= ${now} and trade.token = asked.token
          and timestamp > asked.was - win.seconds and timestamp <= least(${now} - win.seconds, asked.was) order by timestamp offset 0
      ) as trade ${stored}
    )`
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
 * The reference price is that of the last trade before a window, or `null` if that trade has none. Looking for the last trade with a price
 * would read the whole history of a token without any.
 */
export async function loadAging(
  db: Queryable,
  tokens: readonly TokenRow[],
  { before, now }: StoredTradesAt,
): Promise<Map<Address, PerWindow<WindowAging>>> {
  if (tokens.length === 0) return new Map()
  const stored = before === null ? sql`` : sql`and block_number < ${before}::bigint`
  const { rows } = await sql<AgingRow>`
    select asked.token, win.name as window_name, leaving.volume, leaving.buy_volume, leaving.buys, leaving.sells, oldest.at as oldest_at,
      reference.price as reference_price, reference.at as reference_at, reference.pool as reference_pool
    from ${asked(tokens)}
    cross join ${WINDOWS}
    cross join lateral (
      select coalesce(sum(amount_wei), 0)::text as volume,
        coalesce(sum(amount_wei) filter (where side = 'buy'), 0)::text as buy_volume,
        (count(*) filter (where side = 'buy'))::int as buys, (count(*) filter (where side = 'sell'))::int as sells
      from ${leavingTrades({ before, now })} as trade
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

/** A maker's last trade on one side of a token. */
export interface LastTrade {
  readonly token: Address
  readonly side: TradeSide
  readonly maker: Address
  readonly timestamp: number
}

/**
 * The stored trades that have left a window since its totals were computed and are their makers' last ones, so that these makers no longer
 * count in it. Costs one index look-up per trade that has left. A trade may be given more than once.
 */
export async function loadLeavingLastTrades(db: Queryable, tokens: readonly TokenRow[], at: StoredTradesAt): Promise<readonly LastTrade[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<LastTrade>`
    select asked.token, leaving.side, leaving.maker, leaving.timestamp
    from ${asked(tokens)}
    cross join ${WINDOWS}
    cross join lateral ${leavingTrades(at)} as leaving
    ${lookUp('balance', sql`balance.token = leaving.token and balance.holder = leaving.maker`, 'maker')}
    where leaving.timestamp = case leaving.side when 'buy' then maker.last_buy_at else maker.last_sell_at end`.execute(db)
  return rows
}
