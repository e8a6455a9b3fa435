import { type RawBuilder, sql } from 'kysely'
import type { TokenFilters } from '#resources/tokens.ts'

/**
 * `with recursive … part (launchpad, graduation_status)`: the pairs of launchpad and status that tokens have and the filters let through.
 * The indexes of token lists begin with the pair, so that each part of a list is one range of an index. One look-up leads from a pair to
 * the next, so that the cost depends on the number of pairs, not of tokens.
 */
export function withParts({ launchpad, status }: Pick<TokenFilters, 'launchpad' | 'status'>): RawBuilder<unknown> {
  const next = (after: RawBuilder<unknown>) => sql`select token.launchpad, token.graduation_status from token ${after}
    order by token.launchpad, token.graduation_status limit 1`
  const kept = [
    sql`true`,
    ...(launchpad === undefined ? [] : [sql`launchpad = any(${[...launchpad]}::text[])`]),
    ...(status === undefined ? [] : [sql`graduation_status = any(${[...status]}::text[])`]),
  ]
  return sql`with recursive every (launchpad, graduation_status) as (
      (${next(sql``)})
      union all
      select following.* from every cross join lateral (
        ${next(sql`where (token.launchpad, token.graduation_status) > (every.launchpad, every.graduation_status)`)}
      ) as following
    ),
    part as materialized (select * from every where ${sql.join(kept, sql` and `)})`
}

export const OF_PART = sql`token.launchpad = part.launchpad and token.graduation_status = part.graduation_status`
