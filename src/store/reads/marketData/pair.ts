import { sql } from 'kysely'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { PoolType } from '#domain/token.ts'
import type { ListedPair } from '#resources/marketData.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { FINAL_BLOCK } from './finality.ts'

/** The pool with this address or id; `null`: no final block has created one. */
export async function readPair(db: Queryable, id: Hex): Promise<ListedPair | null> {
  const { rows } = await sql<{ readonly type: PoolType } & Omit<ListedPair, 'id' | 'type'> & { readonly weth: Address }>`
    select pool.type, pool.token, pool.quote_token as "quoteToken", pool.launchpad, token.creator, pool.fee_bps as "feeBps",
      creation.block_number as "createdBlock", creation.timestamp as "createdAt", creation.tx_hash as "creationTxHash",
      (select weth from chain_state) as weth
    from pool join pool_creation as creation on creation.pool = pool.address join token on token.address = pool.token
    where pool.address = ${toBytes(id)} and creation.block_number <= ${FINAL_BLOCK}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const { weth, ...pair } = row
  return { id, ...pair, quoteToken: pair.quoteToken === ZERO_ADDRESS ? weth : pair.quoteToken }
}
