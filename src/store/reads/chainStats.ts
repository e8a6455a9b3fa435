import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import type { LaunchpadTotals } from '#resources/chainStats.ts'
import type { Supply } from '#resources/marketData.ts'
import type { Reads } from '#resources/reads.ts'
import type { TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { OUT_OF_CIRCULATION } from '#tables/balance.ts'
import { toBytes } from '#tables/columns.ts'
import { readAsOf, trimScale, weiToWeth } from './page.ts'
import { allOf, boundsOf, chooseSource, conditionsOf, isFromParts, MAX_TOKENS_FILTERED, OF_PART, sortColumn, withParts } from './tokens.ts'

export type IndexedStats = NonNullable<Awaited<ReturnType<Reads['chainStats']>>>

const DAY_SECONDS = 86_400

interface StatsRow extends Omit<IndexedStats, 'chainId' | 'indexedBlock' | 'asOfBlock' | 'updatedAt'> {
  readonly indexedBlock: number
  readonly committedAtMs: number
}

/** Counts and sums over the whole index. The 24 hours end with the newest indexed block. They are read once per commit, then kept. */
export function createChainStats(db: Queryable, chainId: number): () => Promise<IndexedStats | null> {
  let newest: { readonly commit: string; readonly stats: Promise<IndexedStats> } | null = null
  return async () => {
    const { rows } = await sql<{ commit: string }>`
      select concat(cursor_number, ' ', committed_at_ms) as commit from chain_state where cursor_number is not null`.execute(db)
    const commit = rows[0]?.commit
    if (commit === undefined) return null
    if (newest?.commit === commit) return newest.stats
    const mine = { commit, stats: readStats(db, chainId) }
    newest = mine
    mine.stats.catch(() => {
      if (newest === mine) newest = null
    })
    return mine.stats
  }
}

/**
 * Reads the totals that commits keep (`totals.ts`). Blocks without a trade do not change them, so traders whose last trade has become too
 * old since then are subtracted here. The launches of the last 24 hours are counted in an index.
 */
async function readStats(db: Queryable, chainId: number): Promise<IndexedStats> {
  const { rows } = await sql<StatsRow>`
    ${withParts({})}
    select chain_state.cursor_number as "indexedBlock", coalesce(totals.tokens, 0) as tokens, launched.tokens::bigint as "tokens24h",
      coalesce(totals.bonding, 0) as bonding, coalesce(totals.completed, 0) as completed, coalesce(totals.migrated, 0) as migrated,
      coalesce(totals.trades_h24, 0) as "trades24h", coalesce(totals.traders_h24, 0) - silent.traders as "traders24h",
      coalesce(totals.volume_h24, 0) as "volumeWeth24h", null as "volumeUsd24h", coalesce(totals.liquidity_weth, 0) as "liquidityWeth",
      chain_state.committed_at_ms as "committedAtMs"
    from chain_state left join index_totals as totals on true
    cross join lateral (
      select count(*) as traders from trader
      where last_trade_at > totals.counted_at - ${sql.lit(DAY_SECONDS)}::bigint and last_trade_at <= chain_state.cursor_timestamp - ${sql.lit(DAY_SECONDS)}::bigint
    ) as silent
    cross join lateral (
      select coalesce(sum(of_part.tokens), 0) as tokens from part cross join lateral (
        select count(*) as tokens from token where ${OF_PART} and token.created_at > chain_state.cursor_timestamp - ${sql.lit(DAY_SECONDS)}::bigint
      ) as of_part
    ) as launched`.execute(db)
  const [row] = rows
  if (row === undefined) throw new TypeError('chain_state lost its row')
  const { indexedBlock, committedAtMs, ...totals } = row
  return {
    chainId,
    indexedBlock: String(indexedBlock),
    ...totals,
    volumeWeth24h: weiToWeth(totals.volumeWeth24h),
    liquidityWeth: trimScale(totals.liquidityWeth),
    asOfBlock: String(indexedBlock),
    updatedAt: new Date(committedAtMs).toISOString(),
  }
}

interface TotalsRow extends Omit<LaunchpadTotals, 'volumeWeth24h'> {
  readonly volume: string
}

/** Reads the totals that commits keep. The launches of the last 24 hours are counted in an index. */
export async function readLaunchpads(db: Queryable): ReturnType<Reads['launchpads']> {
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<TotalsRow>`
    ${withParts({})},
    launched as (
      select part.launchpad, sum(of_part.tokens)::integer as tokens from part cross join chain_state cross join lateral (
        select count(*) as tokens from token
        where ${OF_PART} and token.created_at > chain_state.cursor_timestamp - ${sql.lit(WINDOW_SECONDS.h24)}::bigint
      ) as of_part group by part.launchpad
    )
    select totals.launchpad as name, totals.tokens, coalesce(launched.tokens, 0) as "tokens24h", bonding, completed, migrated,
      totals.volume_h24 as volume, totals.trades_h24 as "trades24h"
    from launchpad_totals as totals left join launched using (launchpad) order by totals.launchpad`,
  )
  const data = rows.map(({ name, tokens, tokens24h, bonding, completed, migrated, volume, trades24h }) => ({
    name,
    tokens,
    tokens24h,
    bonding,
    completed,
    migrated,
    volumeWeth24h: weiToWeth(volume),
    trades24h,
  }))
  return { data, asOfBlock }
}

/**
 * The number of tokens that a list's filters let through. `null`: more than 1,000, or several filters each let more through. Reads a
 * thousand index entries per launchpad and status, or the rows that a page would look at.
 */
export async function readTokenCount(db: Queryable, query: TokensQuery): Promise<number | null> {
  const source = await chooseSource(db, query)
  if (source.kind === 'filtered') return null
  const most = sql`limit ${sql.lit(MAX_TOKENS_FILTERED + 1)}`
  const matching: RawBuilder<unknown> =
    source.kind === 'few'
      ? sql`select from ${source.from} where ${allOf(conditionsOf(query))} ${most}`
      : sql`select from part cross join lateral (
          select from token where ${allOf([OF_PART, ...boundsOf(query).map(({ condition }) => condition)])}
          order by ${sortColumn(query.sort).column} desc ${most}
        ) as found ${most}`
  const { rows } = await sql<{ count: number }>`
    ${isFromParts(query) ? withParts(query) : sql``} select count(*)::integer as count from (${matching}) as matching`.execute(db)
  const { count = 0 } = rows[0] ?? {}
  return count > MAX_TOKENS_FILTERED ? null : count
}

interface SupplyRow {
  readonly total_supply: string
  readonly decimals: number
  readonly burned: string
  readonly locked: string
}

/** A token's total, burned and locked supply; `null`: the token is not indexed. */
export async function readSupply(db: Queryable, token: Address): Promise<Supply | null> {
  const { rows } = await sql<SupplyRow>`
    select token.total_supply, token.decimals, held.burned, held.locked from token cross join lateral (
      select coalesce(sum(balance) filter (where type = 'burn'), 0) as burned,
        coalesce(sum(balance) filter (where type = 'locker'), 0) as locked
      from balance where balance.token = token.address and ${sql.raw(OUT_OF_CIRCULATION)} and balance.balance > 0
    ) as held
    where token.address = ${toBytes(token)}`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  return { total: BigInt(row.total_supply), burned: BigInt(row.burned), locked: BigInt(row.locked), decimals: row.decimals }
}

export interface TableSize {
  /** The table's name, with its schema if that is not the index's own. */
  readonly table: string
  /** The number of rows by PostgreSQL's statistics, which are not exact. */
  readonly rows: number
  /** The size of the rows, including values that are stored outside of the table's own pages. */
  readonly bytes: number
  readonly indexBytes: number
}

/** The tables of the index, the largest first; none before the first start. Takes milliseconds, whatever their size. */
export async function readTableSizes(db: Queryable): Promise<readonly TableSize[]> {
  const { rows } = await sql<TableSize>`
    select case when nspname = 'tokenwire_logs' then nspname || '.' else '' end || pg_class.relname as "table",
      coalesce(nullif(counted.n_live_tup, 0), greatest(pg_class.reltuples, 0))::bigint as rows,
      pg_table_size(pg_class.oid) as bytes, pg_indexes_size(pg_class.oid) as "indexBytes"
    from pg_class join pg_namespace as place on place.oid = relnamespace join pg_stat_all_tables as counted on counted.relid = pg_class.oid
      cross join (select relnamespace as own from pg_class where oid = to_regclass('chain_state')) as present
    where pg_class.relkind = 'r' and (place.oid = own or nspname = 'tokenwire_logs')
    order by pg_total_relation_size(pg_class.oid) desc, pg_class.relname`.execute(db)
  return rows
}
