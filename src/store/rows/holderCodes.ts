import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { HOLDER_CODE, type HolderCodeRow } from '#tables/balance.ts'
import { BYTEA, binaryArray } from '#tables/binaryArray.ts'
import { toBytes } from '#tables/columns.ts'
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
