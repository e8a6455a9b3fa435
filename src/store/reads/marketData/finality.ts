import { type RawBuilder, sql } from 'kysely'
import type { FinalBlock } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/**
 * SQL of the number of the newest block that no reorg can replace: it has no before-images, and a deeper reorg stops indexing. The number
 * never falls while blocks are indexed.
 */
export const FINAL_BLOCK: RawBuilder<unknown> = sql`(select coalesce(undo_from - 1, cursor_number) from chain_state)`

/** The newest final block. `null`: no block is final. */
export async function readFinality(db: Queryable): Promise<FinalBlock | null> {
  const { rows } = await sql<FinalBlock>`select number, timestamp from block where number = ${FINAL_BLOCK}`.execute(db)
  return rows[0] ?? null
}
