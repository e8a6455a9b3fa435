import { sql } from 'kysely'
import type { Queryable } from '#database/queryable.ts'
import type { Reads } from '#domain/queries.ts'
import { toDecimal, weiToWeth } from './tokenRow.ts'

export type IndexedStats = NonNullable<Awaited<ReturnType<Reads['chainStats']>>>

const DAY_SECONDS = 86_400

interface CursorRow {
  readonly cursor_number: string
  readonly committed_at_ms: string
}

interface StatsRow extends CursorRow {
  readonly tokens: string
  readonly tokens_24h: string
  readonly bonding: string
  readonly completed: string
  readonly migrated: string
  readonly liquidity: string
  readonly trades_24h: string
  readonly traders_24h: string
  readonly volume_24h: string
}

/**
 * Counts and sums over the whole index; the 24 hours end with the newest indexed block. They depend on what is committed alone, so they are
 * computed once per commit, however many ask: the answer of the newest commit is kept.
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

async function readStats(db: Queryable, chainId: number): Promise<IndexedStats> {
  const since = sql`(select cursor_timestamp - ${DAY_SECONDS}::bigint from chain_state)`
  const { rows } = await sql<StatsRow>`
    select chain_state.cursor_number, chain_state.committed_at_ms, of_tokens.*, of_trades.*
    from chain_state
    cross join (
      select count(*) as tokens, count(*) filter (where created_at > ${since}) as tokens_24h,
        count(*) filter (where graduation_status = 'bonding') as bonding,
        count(*) filter (where graduation_status = 'completed') as completed,
        count(*) filter (where graduation_status = 'migrated') as migrated,
        coalesce(sum(liquidity_weth), 0) as liquidity
      from token
    ) as of_tokens
    cross join (
      select count(*) as trades_24h, count(distinct maker) as traders_24h, coalesce(sum(amount_wei), 0) as volume_24h
      from trade where timestamp > ${since}
    ) as of_trades`.execute(db)
  const [row] = rows
  if (row === undefined) throw new TypeError('chain_state lost its row')
  return {
    chainId,
    indexedBlock: row.cursor_number,
    tokens: Number(row.tokens),
    tokens24h: Number(row.tokens_24h),
    bonding: Number(row.bonding),
    completed: Number(row.completed),
    migrated: Number(row.migrated),
    trades24h: Number(row.trades_24h),
    traders24h: Number(row.traders_24h),
    volumeWeth24h: weiToWeth(row.volume_24h),
    volumeUsd24h: null,
    liquidityWeth: toDecimal(row.liquidity),
    asOfBlock: row.cursor_number,
    updatedAt: new Date(Number(row.committed_at_ms)).toISOString(),
  }
}
