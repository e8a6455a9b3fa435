import { type RawBuilder, sql } from 'kysely'
import type { Address, Hex } from '#domain/address.ts'
import { creatorFeeKey } from '#domain/claimable.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import { ageWindow, perWindow, WINDOW_SECONDS } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { BALANCE } from '#tables/balance.ts'
import { arrayOf, BYTEA, binaryArray, INTEGER } from '#tables/binaryArray.ts'
import { type BalanceKey, balancesOf, type Changes, type CurrentRows, type RowKeys, type TickRange } from '#tables/changes.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { POOL, type PoolRow } from '#tables/pool.ts'
import { POOL_TICK, type PoolTickRow } from '#tables/poolTick.ts'
import type { StoredRow, Table } from '#tables/tableOf.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import { unnested } from './insertRows.ts'
import { lookUp } from './lookUp.ts'
import { parameter } from './parameter.ts'
import { selectList } from './selectList.ts'
import { loadAging, loadLeavingLastTrades } from './windowRows.ts'

/** A batch that is about to be written, or is being written. */
export interface PendingBatch {
  /** Its first block. */
  readonly from: number
  readonly changes: Pick<Changes, 'tokens' | 'pools' | 'ticks' | 'balances' | 'creatorFees' | 'trades'>
}

const NOTHING: PendingBatch['changes'] = { tokens: [], pools: [], ticks: [], balances: [], creatorFees: [], trades: [] }

/**
 * The rows as they are once a pending batch is committed, whether or not the database has the batch yet. The batch's rows replace the
 * stored ones, and of stored trades only those of earlier blocks are read.
 */
export class LatestRows {
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
