import { sql } from 'kysely'
import type { BlockPlace, FinalBlock } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { FINAL_BLOCK } from './finality.ts'

/**
 * A final block by its number, or the newest one at a time. `null`: the block is not final, or its time is not stored. Stored are the
 * headers of the newest blocks, and the times of blocks with events.
 */
export async function readBlock(db: Queryable, at: BlockPlace): Promise<FinalBlock | null> {
  const { rows } = await sql<FinalBlock>`
    select number, timestamp from (${'number' in at ? byNumber(at.number) : byTime(at.timestamp)}) as found
    where number <= ${FINAL_BLOCK} limit 1`.execute(db)
  return rows[0] ?? null
}

function byNumber(number: number) {
  const tables = (['trade', 'join_exit', 'pool_creation'] as const).map(
    table => sql`(select block_number, timestamp from ${sql.table(table)} where block_number = ${number}::bigint limit 1)`,
  )
  return sql`select number, timestamp from block where number = ${number}::bigint union all ${sql.join(tables, sql` union all `)}`
}

/** The newest block at a time is known only if the next block's header is stored too, or if it is the newest final block. */
function byTime(timestamp: number) {
  return sql`select youngest.* from (
      select number, timestamp from block where timestamp <= ${timestamp}::bigint and number <= ${FINAL_BLOCK} order by number desc limit 1
    ) as youngest
    where number = ${FINAL_BLOCK} or exists (select from block where block.number = youngest.number + 1)`
}
