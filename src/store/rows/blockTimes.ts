import { sql } from 'kysely'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/queryable.ts'

/** The parts of a header that are stored with every trade. */
export type BlockTime = Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>

/** The blocks that have trades and the newest blocks, ascending from a number on. */
export async function readBlockTimes(db: Queryable, from: number, limit: number): Promise<readonly BlockTime[]> {
  const { rows } = await sql<BlockTime>`
    select distinct on (number) number, hash, timestamp from (
      (select distinct on (block_number) block_number as number, block_hash as hash, timestamp from trade
        where block_number >= ${from} order by block_number limit ${limit})
      union all (select number, hash, timestamp from block where number >= ${from} order by number limit ${limit})
    ) as stored order by number limit ${limit}`.execute(db)
  return rows
}
