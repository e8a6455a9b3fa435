import { sql } from 'kysely'
import type { Reads } from '#domain/queries.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { trimScale, weiToWeth } from './trimScale.ts'

export type IndexedStats = NonNullable<Awaited<ReturnType<Reads['chainStats']>>>

const DAY_SECONDS = 86_400

interface CursorRow {
  readonly cursor_number: number
  readonly committed_at_ms: number
}

interface StatsRow extends CursorRow {
  readonly tokens: number
  readonly tokens_24h: string
  readonly bonding: number
  readonly completed: number
  readonly migrated: number
  readonly liquidity_weth: string
  readonly trades_h24: number
  readonly traders_h24: number
  readonly volume_h24: string
}

/**
 * Counts and sums over the whole index; the 24 hours end with the newest indexed block. They depend on what is committed alone, so they are
 * read once per commit, however many ask: the answer of the newest commit is kept.
 */
export function createChainStats(db: Queryable, chainId: number): () => Promise<IndexedStats | null> {
  let newest: { readonly commit: string; readonly stats: Promise<IndexedStats> } | null = null
  return async () => {
    const { rows } = await sql<CursorRow>`
      select cursor_number, committed_at_ms from chain_state where cursor_number is not null`.execute(db)
    const [cursor] = rows
    if (cursor === undefined) return null
    const commit = `${cursor.cursor_number} ${cursor.committed_at_ms}`
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
 * The totals that commits keep (`totals.ts`). Blocks without a trade leave them as they were: who has fallen silent since then is taken off
 * here. The launches of the last 24 hours are counted in an index.
 */
async function readStats(db: Queryable, chainId: number): Promise<IndexedStats> {
  const { rows } = await sql<StatsRow>`
    ${withParts({})}
    select chain_state.cursor_number, chain_state.committed_at_ms, coalesce(totals.tokens, 0) as tokens, launched.tokens_24h,
      coalesce(totals.bonding, 0) as bonding, coalesce(totals.completed, 0) as completed, coalesce(totals.migrated, 0) as migrated,
      coalesce(totals.liquidity_weth, 0) as liquidity_weth, coalesce(totals.trades_h24, 0) as trades_h24,
      coalesce(totals.traders_h24, 0) - silent.traders as traders_h24, coalesce(totals.volume_h24, 0) as volume_h24
    from chain_state left join index_totals as totals on true
    cross join lateral (
      select count(*) as traders from trader
      where last_trade_at > totals.counted_at - ${sql.lit(DAY_SECONDS)}::bigint and last_trade_at <= chain_state.cursor_timestamp - ${sql.lit(DAY_SECONDS)}::bigint
    ) as silent
    cross join lateral (
      select coalesce(sum(of_part.tokens), 0) as tokens_24h from part cross join lateral (
        select count(*) as tokens from token where ${OF_PART} and token.created_at > chain_state.cursor_timestamp - ${sql.lit(DAY_SECONDS)}::bigint
      ) as of_part
    ) as launched`.execute(db)
  const [row] = rows
  if (row === undefined) throw new TypeError('chain_state lost its row')
  return {
    chainId,
    indexedBlock: String(row.cursor_number),
    tokens: row.tokens,
    tokens24h: Number(row.tokens_24h),
    bonding: row.bonding,
    completed: row.completed,
    migrated: row.migrated,
    trades24h: row.trades_h24,
    traders24h: row.traders_h24,
    volumeWeth24h: weiToWeth(row.volume_h24),
    volumeUsd24h: null,
    liquidityWeth: trimScale(row.liquidity_weth),
    asOfBlock: String(row.cursor_number),
    updatedAt: new Date(row.committed_at_ms).toISOString(),
  }
}
