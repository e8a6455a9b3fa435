import { sql } from 'kysely'
import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/queryable.ts'

type BlockTime = Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>

/** A stored block of which the chain shows another hash or time. */
export interface WrongBlock {
  readonly stored: BlockTime
  readonly shown: BlockTime
}

/**
 * The first of some stored blocks that the chain shows with another hash or time.
 *
 * @throws `RpcError`
 */
export async function findWrongBlock(source: Pick<ChainSource, 'headers'>, stored: readonly BlockTime[]): Promise<WrongBlock | null> {
  const headers = await source.headers(stored.map(({ number }) => number))
  for (const [index, block] of stored.entries()) {
    const shown = headers[index]
    if (shown !== undefined && (shown.hash !== block.hash || shown.timestamp !== block.timestamp)) return { stored: block, shown }
  }
  return null
}

/** The blocks of trades and the remembered blocks, ascending from a number on. */
export async function readBlockTimes(db: Queryable, from: number, limit: number): Promise<readonly BlockTime[]> {
  const { rows } = await sql<BlockTime>`
    select distinct on (number) number, hash, timestamp from (
      (select distinct on (block_number) block_number as number, block_hash as hash, timestamp from trade
        where block_number >= ${from} order by block_number limit ${limit})
      union all (select number, hash, timestamp from block where number >= ${from} order by number limit ${limit})
    ) as stored order by number limit ${limit}`.execute(db)
  return rows
}

export function wrongBlockSentence({ stored, shown }: WrongBlock): string {
  const difference =
    stored.hash === shown.hash
      ? `is stored with the time ${stored.timestamp}, and the chain shows ${shown.timestamp}`
      : `is stored with the hash ${stored.hash}, and the chain shows ${shown.hash}`
  return `Block ${stored.number} ${difference}. Stop the service and run: npm run db:rewind -- ${stored.number}`
}
