import { sql } from 'kysely'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import type { LaunchpadTotals } from '#resources/launchpads.ts'
import type { Reads } from '#resources/reads.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { readAsOf } from './asOf.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { weiToWeth } from './trimScale.ts'

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
