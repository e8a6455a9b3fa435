import { type RawBuilder, sql } from 'kysely'
import type { Finality } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/**
 * The number of the newest block that no reorg can replace: without its before-images it can't be undone, and a deeper reorg stops
 * indexing. It never falls while blocks are indexed.
 */
export const FINAL_BLOCK: RawBuilder<unknown> = sql`(select coalesce(undo_from - 1, cursor_number) from chain_state)`

/** The newest final block. `incomplete`: a part of the index lacks what sites need. `null`: no block is final. */
export async function readFinality(db: Queryable): Promise<Finality> {
  const { rows } = await sql<{ readonly complete: boolean; readonly number: number | null; readonly timestamp: number | null }>`
    select reserves_from is null as complete, block.number, block.timestamp from chain_state
    left join block on block.number = ${FINAL_BLOCK}`.execute(db)
  const { complete = true, number = null, timestamp = null } = rows[0] ?? {}
  if (!complete) return 'incomplete'
  return number === null || timestamp === null ? null : { number, timestamp }
}
