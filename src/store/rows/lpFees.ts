import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { LP_FEE } from '#tables/lpFee.ts'
import type { StoredRow } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { insertRows, runStatements } from './insertRows.ts'

/** A locked LP position whose fees have not been read since its pool last moved. */
export interface StalePosition {
  readonly token: Address
  readonly launchpad: string
  readonly positionId: bigint
  readonly tokenIsToken0: boolean
  /** Basis points of a trade; with the pool's fee of 1 % that is the creator's percentage of the fees. */
  readonly creatorFeeBps: number | null
  readonly createdBlock: number
  /** The block of the last read; `null`: there was none. */
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
  { among, limit }: { readonly among: readonly Address[] | null; readonly limit: number },
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
 * Stores what positions held at a block. To be called under the lock of the cursor: amounts of a block that is no longer indexed, or of an
 * older block than the stored ones, are not stored.
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
  const fees = found.map(({ token, amounts }) => ({
    token,
    tokenAmount: amounts?.token ?? null,
    quoteAmount: amounts?.quote ?? null,
    blockNumber: block.number,
  }))
  await runStatements(db, insertRows(LP_FEE, fees, `${LP_FEE.merge} where uncollected_fee.block_number <= excluded.block_number`))
  return true
}
