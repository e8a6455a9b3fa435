import { type RawBuilder, sql } from 'kysely'
import type { TokensQuery } from '#resources/tokens.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { allOf, boundsOf, conditionsOf, MAX_TOKENS_FILTERED } from './tokenFilters.ts'
import { sortColumn } from './tokenOrder.ts'
import { OF_PART, withParts } from './tokenParts.ts'
import { chooseSource, isFromParts } from './tokens.ts'

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
