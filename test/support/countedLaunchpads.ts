import { sql } from 'kysely'
import type { LaunchpadTotals } from '#resources/chainStats.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'

/** The expected totals of /api/launchpads, counted from tokens and trades. */
export async function countedLaunchpads(db: Queryable): Promise<readonly LaunchpadTotals[]> {
  const since = sql`(select cursor_timestamp - 86400 from chain_state)`
  const { rows } = await sql<LaunchpadTotals>`
    select launchpad as name, count(*)::integer as tokens, (count(*) filter (where created_at > ${since}))::integer as "tokens24h",
      (count(*) filter (where graduation_status = 'bonding'))::integer as bonding,
      (count(*) filter (where graduation_status = 'completed'))::integer as completed,
      (count(*) filter (where graduation_status = 'migrated'))::integer as migrated,
      trim_scale(coalesce(sum(traded.wei), 0) * 0.000000000000000001)::text as "volumeWeth24h", coalesce(sum(traded.trades), 0)::integer as "trades24h"
    from token left join (
      select trade.token, count(*) as trades, sum(amount_wei) as wei from trade where timestamp > ${since} group by trade.token
    ) as traded on traded.token = token.address
    group by launchpad order by launchpad`.execute(db)
  return rows
}
