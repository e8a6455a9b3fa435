import { sql } from 'kysely'
import type { Queryable } from '#store/connection/databaseSchema.ts'

interface ManyTrades {
  readonly count: number
  /** The block before the first trade. */
  readonly after: number
  /** The number of the token's address, as SQL of the trade's number `g`; the same for the next. */
  readonly token: string
  readonly maker: string
}

/** Inserts trades in SQL: one in each block from `after` on, buys and sells by turns. */
export async function insertManyTrades(db: Queryable, { count, after, token, maker }: ManyTrades): Promise<void> {
  await sql`
    insert into trade (block_number, log_index, token, pool, phase, side, maker, amount_token, amount_wei, block_hash, tx_hash, tx_index, timestamp)
    select ${after}::bigint + g, 0, ${bytesOf(token, 40)}, ${bytesOf('1', 40)}, 'pool', case when g % 2 = 0 then 'buy' else 'sell' end,
      ${bytesOf(maker, 40)}, 1, 1, ${bytesOf('1', 64)}, ${bytesOf('1', 64)}, 0, g
    from generate_series(1, ${count}::integer) as g`.execute(db)
}

function bytesOf(number: string, digits: number) {
  return sql.raw(`decode(lpad(to_hex(${number}), ${digits}, '0'), 'hex')`)
}
