import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { HOLDER_CODE, type HolderCodeRow } from '#tables/balance.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { type StoredRow, toBytes } from '#tables/columns.ts'
import { LP_FEE } from '#tables/lpFee.ts'
import { isRecentBlock, stampToken } from './cursor.ts'
import { insertRows, lookUpIfAny, parameter, runStatements } from './insertRows.ts'

/** The default size of a page of holders. */
const LARGEST = 50

/** A holder of type `wallet`. */
export interface PlainHolder {
  readonly token: Address
  readonly holder: Address
  /** Whether the chain has code at the address; `null`: not known yet. */
  readonly contract: boolean | null
}

/** Those of the tokens' largest holders of type `wallet` that may be contracts. No event shows whether they are. */
export async function readPlainHolders(db: Queryable, tokens: readonly Address[], limit: number): Promise<readonly PlainHolder[]> {
  if (tokens.length === 0) return []
  const { rows } = await sql<PlainHolder>`
    select asked.token, largest.holder, code.contract
    from unnest(${parameter(binaryArray(BYTEA, tokens), 'bytea[]')}) as asked (token)
    cross join lateral (
      select balance.holder, balance.type from balance where balance.token = asked.token and balance.balance > 0
      order by - balance.balance, balance.holder limit ${sql.lit(LARGEST)}
    ) as largest
    ${lookUpIfAny('holder_code', sql`holder_code.holder = largest.holder`, 'code')}
    where largest.type = 'wallet' and code.contract is not false
    limit ${sql.lit(limit)}`.execute(db)
  return rows
}

/** The tokens whose addresses follow `after`, in order. */
export async function readTokensAfter(db: Queryable, after: Address, limit: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`
    select address from token where address > ${toBytes(after)} order by address limit ${limit}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * Stores whether addresses have code at a block, under the lock of the cursor. Stores nothing when that block is no longer indexed.
 *
 * @returns whether it was stored
 */
export async function writeHolderCodes(
  db: Queryable,
  block: Pick<BlockHeader, 'number' | 'hash'>,
  codes: readonly HolderCodeRow[],
): Promise<boolean> {
  if (!(await isRecentBlock(db, block))) return false
  await runStatements(db, insertRows(HOLDER_CODE, codes, 'on conflict do nothing'))
  return true
}

/**
 * Gives holders the type `contract` and their tokens a new sequence, under the lock of the cursor. Idempotent.
 *
 * @returns the tokens that changed
 */
export async function showContracts(
  db: Queryable,
  holders: readonly Pick<PlainHolder, 'token' | 'holder'>[],
  committedAtMs: number,
): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`
    with shown as (
      update balance set type = 'contract'
      from unnest(${holders.map(({ token }) => toBytes(token))}::bytea[], ${holders.map(({ holder }) => toBytes(holder))}::bytea[]) as found (token, holder)
      where balance.token = found.token and balance.holder = found.holder and balance.type = 'wallet' returning balance.token
    )
    update token set ${stampToken(committedAtMs)}
    where address in (select token from shown) returning address`.execute(db)
  return rows.map(({ address }) => address)
}

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
