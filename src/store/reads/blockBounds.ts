import { sql } from 'kysely'
import type { Bounds } from '#resources/parameters.ts'
import type { Queryable } from '#store/connection/queryable.ts'

export interface BlockBounds {
  /** Inclusive. */
  readonly fromBlock?: number
  /** Inclusive. */
  readonly toBlock?: number
}

/**
 * Turns bounds in time into bounds in blocks, so that lists of trades need no index by time. Blocks' times ascend: a binary search over the
 * trades takes about 25 look-ups.
 */
export async function readBlockBounds(db: Queryable, { fromBlock, toBlock, from, to }: Bounds): Promise<BlockBounds> {
  const given = { ...(fromBlock === undefined ? {} : { fromBlock }), ...(toBlock === undefined ? {} : { toBlock }) }
  if (from === undefined && to === undefined) return given
  const { rows } = await sql<{ first: number | null; after: number | null }>`
    select ${firstBlockFrom(from ?? 0)} as first, ${firstBlockFrom(to === undefined ? Number.MAX_SAFE_INTEGER : to + 1)} as after`.execute(
    db,
  )
  const { first = null, after = null } = rows[0] ?? {}
  return {
    fromBlock: Math.max(fromBlock ?? 0, first ?? 0),
    toBlock: Math.min(toBlock ?? Number.MAX_SAFE_INTEGER, to === undefined || after === null ? Number.MAX_SAFE_INTEGER : after - 1),
  }
}

/** SQL of the block from which on no trade is earlier than a time. */
function firstBlockFrom(seconds: number) {
  return sql`(
    with recursive search (low, high) as (
      select min(block_number), max(block_number) + 1 from trade
      union all
      select case when found.timestamp >= ${seconds}::bigint then search.low else found.block_number + 1 end,
        case when found.timestamp >= ${seconds}::bigint then (search.low + search.high) / 2 else search.high end
      from search cross join lateral (
        select trade.block_number, trade.timestamp from trade where trade.block_number >= (search.low + search.high) / 2
        order by trade.block_number, trade.log_index limit 1
      ) as found
      where search.low < search.high
    )
    select low from search where low >= high
  )`
}
