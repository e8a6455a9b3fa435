import { sql } from 'kysely'
import type { Queryable } from '#store/connection/databaseSchema.ts'

/** The expected answer of /api/chain-stats, counted from the tables. */
export async function countedStats(db: Queryable): Promise<Readonly<Record<string, number | string>>> {
  const since = sql`(select cursor_timestamp - 86400 from chain_state)`
  const { rows } = await sql<Record<string, number | string>>`
    select of_tokens.*, of_trades.* from (
      select count(*)::integer as tokens, (count(*) filter (where created_at > ${since}))::integer as "tokens24h",
        (count(*) filter (where graduation_status = 'bonding'))::integer as bonding,
        (count(*) filter (where graduation_status = 'completed'))::integer as completed,
        (count(*) filter (where graduation_status = 'migrated'))::integer as migrated,
        trim_scale(coalesce(sum(liquidity_weth), 0))::text as "liquidityWeth" from token
    ) as of_tokens cross join (
      select count(*)::integer as "trades24h", count(distinct maker)::integer as "traders24h",
        trim_scale(coalesce(sum(amount_wei), 0) * 0.000000000000000001)::text as "volumeWeth24h" from trade where timestamp > ${since}
    ) as of_trades`.execute(db)
  return rows[0] ?? {}
}
