import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import type { StoredRow } from '#tables/columns.ts'
import { toBytes } from '#tables/columns.ts'
import { LP_FEE } from '#tables/lpFee.ts'
import { isRecentBlock } from './cursor.ts'
import { insertRows, runStatements } from './insertRows.ts'

/** A locked LP position whose fees have not been read since its pool last moved. */
export interface StalePosition {
  readonly token: Address
  readonly launchpad: string
  readonly positionId: bigint
  readonly tokenIsToken0: boolean
  /** In basis points of a trade. The pool's fee is 1 %, so this is also the creator's percentage of the fees. */
  readonly creatorFeeBps: number | null
  readonly createdBlock: number
  readonly askedAt: number | null
}

export interface UncollectedAmount {
  readonly token: Address
  /** The creator's share in raw units; `null`: the providers refused the call. */
  readonly amounts: { readonly token: bigint; readonly quote: bigint } | null
}

/**
 * Positions whose pool has moved since the last read, or that were never read, newest change first.
 *
 * @param among only these tokens; `null`: all, which reads every pool
 */
export async function readStalePositions(
  db: Queryable,
  among: readonly Address[] | null,
  limit: number,
): Promise<readonly StalePosition[]> {
  const { rows } = await sql<StoredRow<StalePosition>>`
    select pool.token, pool.launchpad, pool.position_id as "positionId", pool.token_is_token0 as "tokenIsToken0",
      token.creator_fee_bps as "creatorFeeBps", pool.created_block as "createdBlock", known.block_number as "askedAt"
    from pool join token on token.address = pool.token
    left join uncollected_fee as known on known.token = pool.token
    where pool.position_id is not null and (known.token is null or pool.last_changed_block > known.block_number)
      ${among === null ? sql`` : sql`and pool.token = any(${among.map(toBytes)}::bytea[])`}
    order by pool.last_changed_block desc nulls last, pool.address limit ${limit}`.execute(db)
  return rows.map(row => ({ ...row, positionId: BigInt(row.positionId) }))
}

/**
 * Stores positions' uncollected fees as of a block, under the lock of the cursor. Stores nothing when that block is no longer indexed, and
 * no amounts that are older than the stored ones.
 *
 * @returns whether it was stored
 */
export async function writeUncollected(
  db: Queryable,
  block: Pick<BlockHeader, 'number' | 'hash'>,
  found: readonly UncollectedAmount[],
): Promise<boolean> {
  if (!(await isRecentBlock(db, block))) return false
  const fees = found.map(({ token, amounts }) => ({
    token,
    tokenAmount: amounts?.token ?? null,
    quoteAmount: amounts?.quote ?? null,
    blockNumber: block.number,
  }))
  await runStatements(db, insertRows(LP_FEE, fees, `${LP_FEE.merge} where uncollected_fee.block_number <= excluded.block_number`))
  return true
}
