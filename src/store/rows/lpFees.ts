import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { bytesToAddress, toBytes } from './bytes.ts'

/** A locked position of which it is not known what lies in it at the block that was asked for. */
export interface StalePosition {
  readonly token: Address
  readonly launchpad: string
  readonly positionId: bigint
  readonly tokenIsToken0: boolean
  /** Of the pool's fee in basis points, which is the creator's share in percent where that fee is 1 %. */
  readonly creatorFeeBps: number | null
  readonly createdBlock: number
  /** The block that was asked for last; `null`: none was. */
  readonly askedAt: number | null
}

export interface UncollectedAmount {
  readonly token: Address
  /** The creator's share in raw units; `null`: the providers refused to tell. */
  readonly amounts: { readonly token: bigint; readonly quote: bigint } | null
}

/**
 * Positions whose pool moved after they were asked for last, or that never were, newest change first.
 *
 * @param among of these tokens only; `null`: of all, which reads every pool
 */
export async function readStalePositions(
  db: Queryable,
  { among, limit }: { readonly among: readonly Address[] | null; readonly limit: number },
): Promise<readonly StalePosition[]> {
  const { rows } = await sql<{
    token: Buffer
    launchpad: string
    position_id: string
    token_is_token0: boolean
    creator_fee_bps: number | null
    created_block: string
    asked_at: string | null
  }>`
    select pool.token, pool.launchpad, pool.position_id, pool.token_is_token0, token.creator_fee_bps, pool.created_block, known.block_number as asked_at
    from pool join token on token.address = pool.token
    left join uncollected_fee as known on known.token = pool.token
    where pool.position_id is not null and (known.token is null or pool.last_changed_block > known.block_number)
      ${among === null ? sql`` : sql`and pool.token = any(${among.map(toBytes)}::bytea[])`}
    order by pool.last_changed_block desc nulls last, pool.address limit ${limit}`.execute(db)
  return rows.map(row => ({
    token: bytesToAddress(row.token),
    launchpad: row.launchpad,
    positionId: BigInt(row.position_id),
    tokenIsToken0: row.token_is_token0,
    creatorFeeBps: row.creator_fee_bps,
    createdBlock: Number(row.created_block),
    askedAt: row.asked_at === null ? null : Number(row.asked_at),
  }))
}

/**
 * Stores what lay in positions at a block, inside the caller's transaction, in which the cursor is locked: a reorg comes before or after. What was
 * asked of a block that is indexed no longer, or later than something newer, is dropped.
 *
 * @returns whether it was stored
 */
export async function writeUncollected(
  db: Queryable,
  block: { readonly number: number; readonly hash: `0x${string}` },
  found: readonly UncollectedAmount[],
): Promise<boolean> {
  const { rows } = await sql`select from block where number = ${block.number} and hash = ${toBytes(block.hash)}`.execute(db)
  if (rows.length === 0) return false
  await sql`
    insert into uncollected_fee (token, token_amount, quote_amount, block_number)
    select token, token_amount, quote_amount, ${block.number}
    from unnest(${found.map(({ token }) => toBytes(token))}::bytea[], ${found.map(({ amounts }) => amounts?.token.toString() ?? null)}::numeric[],
      ${found.map(({ amounts }) => amounts?.quote.toString() ?? null)}::numeric[]) as asked (token, token_amount, quote_amount)
    on conflict (token) do update set token_amount = excluded.token_amount, quote_amount = excluded.quote_amount, block_number = excluded.block_number
    where uncollected_fee.block_number <= excluded.block_number`.execute(db)
  return true
}
