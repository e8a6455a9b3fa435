import { sql } from 'kysely'
import type { Reads } from '#resources/reads.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { trimScale, weiToWeth } from './trimScale.ts'

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
