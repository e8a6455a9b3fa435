import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { balancesOf, type CurrentRows, creatorFeeKey, type RowKeys, type WindowAging } from '#domain/changes.ts'
import type { PerWindow } from '#domain/token.ts'
import type { BalanceState, CreatorFeeState, PoolState, TokenState } from '#domain/tokenState.ts'
import { perWindow, WINDOW_NAMES, WINDOW_SECONDS, type WindowName } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BYTEA, binaryArray } from './binaryArray.ts'
import { bytesToAddress } from './bytes.ts'
import { type PendingBatch, pendingRows } from './pendingRows.ts'
import { type PoolRow, type TokenStateRow, toDecimal, toPoolState, toTokenState } from './stateRows.ts'

export interface LoadOptions {
  /** Unix seconds of the batch's last block. */
  readonly now: number
  /** Whether the tokens of which a trade has left a window by then are loaded as well: of stored rows, so not with a pending batch. */
  readonly expired: boolean
  /** A batch that counts as written, though it may be only just being written. Default none. */
  readonly pending?: PendingBatch | null
}

/** Windows of more tokens than this end within a block only after the service was away. */
const EXPECTED_EXPIRED = 1_000

/** The current rows that projecting a batch needs: what its events touch, and on demand what the passing of time has made wrong. */
export async function loadRows(db: Queryable, keys: RowKeys, { now, expired, pending: batch = null }: LoadOptions): Promise<CurrentRows> {
  if (expired && batch !== null) throw new TypeError('what expires beside a pending batch is not known')
  const pending = pendingRows(batch)
  const unknown = keys.tokens.filter(address => !pending.tokens.has(address))
  const tokens = new Map([...(await loadTokens(db, unknown, expired ? now : null)), ...pending.tokensOf(keys.tokens)])
  const addresses = [...tokens.keys()]
  const stored = { before: pending.from, now }
  return {
    tokens,
    pools: new Map([...(await loadPools(db, addresses)), ...pending.poolsOf(addresses)]),
    balances: balancesOf([
      ...(await loadBalances(
        db,
        keys.balances.filter(({ token, holder }) => pending.balance(token, holder) === undefined),
      )),
      ...pending.balancesOf(keys.balances),
    ]),
    creatorFees: new Map([...(await loadCreatorFees(db, keys.creatorFees)), ...pending.creatorFees]),
    aging: pending.aged(await loadAging(db, [...tokens.values()], stored), tokens, now),
  }
}

/** The tokens of these addresses, and those of which a trade has left a window by a time, where that is given. */
async function loadTokens(db: Queryable, addresses: readonly Address[], expiredBy: number | null): Promise<Map<Address, TokenState>> {
  if (expiredBy === null) return readTokens(db, addresses, sql``)
  // What the server knows of the column is from its last look at it, since when all of it may have expired and been written anew: a limit tells that it is few.
  const expired = sql`select address from token where windows_expire_at <= ${expiredBy}::bigint order by windows_expire_at`
  const tokens = await readTokens(db, addresses, sql`union (${expired} limit ${sql.lit(EXPECTED_EXPIRED)})`)
  return tokens.size < EXPECTED_EXPIRED ? tokens : readTokens(db, addresses, sql`union (${expired})`)
}

async function readTokens(db: Queryable, addresses: readonly Address[], others: RawBuilder<unknown>): Promise<Map<Address, TokenState>> {
  // "offset 0" keeps it a look-up for each address: joined as tables, the server may prefer to read all tokens.
  const { rows } = await sql<TokenStateRow>`
    select token.* from (select unnest(${binaryArray(BYTEA, addresses)}::bytea[]) as address ${others}) as wanted
    cross join lateral (select * from token where token.address = wanted.address offset 0) as token`.execute(db)
  return new Map(rows.map(row => toTokenState(row)).map(token => [token.address, token]))
}

async function loadPools(db: Queryable, tokens: readonly Address[]): Promise<Map<`0x${string}`, PoolState>> {
  if (tokens.length === 0) return new Map()
  const { rows } = await sql<PoolRow>`select * from pool where token = any(${binaryArray(BYTEA, tokens)}::bytea[])`.execute(db)
  return new Map(rows.map(row => toPoolState(row)).map(pool => [pool.address, pool]))
}

async function loadBalances(db: Queryable, keys: RowKeys['balances']): Promise<readonly BalanceState[]> {
  if (keys.length === 0) return []
  // Rows come with their place among the keys: reading both addresses out of each costs more than the rest.
  const { rows } = await sql<{ place: string; balance: string; type: BalanceState['type']; last_changed_block: string }>`
    select place, balance, type, last_changed_block
    from unnest(${arrayOf(BYTEA, keys, key => key.token)}::bytea[], ${arrayOf(BYTEA, keys, key => key.holder)}::bytea[])
      with ordinality as asked (token, holder, place)
    join balance using (token, holder)`.execute(db)
  return rows.map(row => ({
    ...required(keys[Number(row.place) - 1]),
    balance: BigInt(row.balance),
    type: row.type,
    lastChangedBlock: Number(row.last_changed_block),
  }))
}

async function loadCreatorFees(db: Queryable, keys: RowKeys['creatorFees']): Promise<Map<string, CreatorFeeState>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{
    launchpad: string
    creator: Buffer
    currency: Buffer
    scope: CreatorFeeState['scope']
    token: Buffer
    accrued: string | null
    claimed: string
    claim_id: string | null
    last_changed_block: string
  }>`
    select creator_fee.* from unnest(${keys.map(key => key.launchpad)}::text[], ${arrayOf(BYTEA, keys, key => key.creator)}::bytea[],
      ${arrayOf(BYTEA, keys, key => key.currency)}::bytea[], ${arrayOf(BYTEA, keys, key => key.token)}::bytea[]) as asked (launchpad, creator, currency, token)
    join creator_fee using (launchpad, creator, currency, token)`.execute(db)
  const fees = rows.map(row => ({
    launchpad: row.launchpad,
    creator: bytesToAddress(row.creator),
    currency: bytesToAddress(row.currency),
    scope: row.scope,
    token: bytesToAddress(row.token),
    accrued: row.accrued === null ? null : BigInt(row.accrued),
    claimed: BigInt(row.claimed),
    claimId: row.claim_id === null ? null : BigInt(row.claim_id),
    lastChangedBlock: Number(row.last_changed_block),
  }))
  return new Map(fees.map(fee => [creatorFeeKey(fee), fee]))
}

interface AgingRow {
  readonly token: Buffer
  readonly window_name: WindowName
  readonly volume: string
  readonly buys: number
  readonly sells: number
  readonly oldest_at: string | null
  readonly reference_price: string | null
}

/**
 * Per token and window: index look-ups at both ends of the window, and a scan of what left it since it was last right. Of stored trades only
 * those before a block, where that is given.
 *
 * A token that has a price keeps one, so the last trade before a window tells its reference price, or that there was none. Looking for the last
 * one that has a price would read the whole history of a token without any. Before a window that is longer than the token's life nothing is looked for.
 */
async function loadAging(
  db: Queryable,
  tokens: readonly TokenState[],
  { before, now }: { readonly before: number | null; readonly now: number },
): Promise<Map<Address, PerWindow<WindowAging>>> {
  if (tokens.length === 0) return new Map()
  const stored = before === null ? sql`` : sql`and block_number < ${before}::bigint`
  const { rows } = await sql<AgingRow>`
    select asked.token, win.name as window_name, leaving.volume, leaving.buys, leaving.sells, oldest.at as oldest_at, reference.price as reference_price
    from unnest(${arrayOf(BYTEA, tokens, token => token.address)}::bytea[], ${arrayOf(BIGINT, tokens, token => token.windowsAt)}::bigint[],
      ${arrayOf(BIGINT, tokens, token => token.createdAt)}::bigint[]) as asked (token, was, created_at)
    cross join unnest(${WINDOW_NAMES}::text[], ${WINDOW_NAMES.map(name => WINDOW_SECONDS[name])}::bigint[]) as win (name, seconds)
    cross join lateral (
      select coalesce(sum(amount_wei), 0)::text as volume, (count(*) filter (where side = 'buy'))::int as buys, (count(*) filter (where side = 'sell'))::int as sells
      from trade where asked.created_at <= ${now} - win.seconds and trade.token = asked.token
        and timestamp > asked.was - win.seconds and timestamp <= least(${now} - win.seconds, asked.was) ${stored}
    ) as leaving
    left join lateral (
      select timestamp as at from trade where trade.token = asked.token and timestamp > ${now} - win.seconds ${stored}
      order by timestamp limit 1
    ) as oldest on true
    left join lateral (
      select price_after_weth::text as price from trade
      where asked.created_at <= ${now} - win.seconds and trade.token = asked.token and timestamp <= ${now} - win.seconds ${stored}
      order by timestamp desc, block_number desc, log_index desc limit 1
    ) as reference on true`.execute(db)
  const aging = new Map<Address, Map<WindowName, WindowAging>>()
  for (const row of rows) {
    const token = bytesToAddress(row.token)
    const windows = aging.get(token) ?? new Map<WindowName, WindowAging>()
    windows.set(row.window_name, {
      leaving: { volumeWei: BigInt(row.volume), buys: row.buys, sells: row.sells },
      oldestAt: row.oldest_at === null ? null : Number(row.oldest_at),
      referencePrice: toDecimal(row.reference_price),
    })
    aging.set(token, windows)
  }
  return new Map([...aging].map(([token, windows]) => [token, perWindow(name => required(windows.get(name)))]))
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the statement gives a row per token and window, and places of keys')
  return value
}
