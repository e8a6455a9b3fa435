import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { HOLDER_CODE, type HolderCodeRow } from '#tables/holderCode.ts'
import { toBytes } from '#tables/toBytes.ts'
import { insertRows, runStatements } from './insertRows.ts'
import { stampToken } from './stampToken.ts'

/*
 * No event says whether a holder is a contract. The chain is asked for the code of each token's largest holders, once per holder; its
 * balances get the type `contract` as the tokens are gone through.
 */

/** The default size of a page of holders. */
const LARGEST = 50

/** A holder with the type `wallet`, and what is known of its code. */
export interface PlainHolder {
  readonly token: Address
  readonly holder: Address
  /** `null`: not known yet. */
  readonly contract: boolean | null
}

/** Those of the tokens' largest holders that have the type `wallet` and may be contracts. */
export async function readPlainHolders(
  db: Queryable,
  { tokens, limit }: { readonly tokens: readonly Address[]; readonly limit: number },
): Promise<readonly PlainHolder[]> {
  if (tokens.length === 0) return []
  // "offset 0" makes it a look-up per holder. A plain join may be planned as a scan of all holder codes.
  const { rows } = await sql<PlainHolder>`
    select asked.token, largest.holder, code.contract
    from unnest(${tokens.map(toBytes)}::bytea[]) as asked (token)
    cross join lateral (
      select balance.holder, balance.type from balance where balance.token = asked.token and balance.balance > 0
      order by - balance.balance, balance.holder limit ${sql.lit(LARGEST)}
    ) as largest
    left join lateral (select contract from holder_code where holder_code.holder = largest.holder offset 0) as code on true
    where largest.type = 'wallet' and code.contract is not false
    limit ${limit}`.execute(db)
  return rows
}

/** The next tokens by address, for going through all of them. */
export async function readTokensAfter(db: Queryable, after: Address, limit: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`
    select address from token where address > ${toBytes(after)} order by address limit ${limit}`.execute(db)
  return rows.map(({ address }) => address)
}

/**
 * Stores what the chain answered at a block. To be called under the lock of the cursor: an answer at a block that is no longer indexed is
 * not stored.
 *
 * @returns whether it was stored
 */
export async function writeHolderCodes(
  db: Queryable,
  block: Pick<BlockHeader, 'number' | 'hash'>,
  codes: readonly HolderCodeRow[],
): Promise<boolean> {
  const { rows } = await sql`select from block where number = ${block.number} and hash = ${toBytes(block.hash)}`.execute(db)
  if (rows.length === 0) return false
  await runStatements(db, insertRows(HOLDER_CODE, codes, 'on conflict do nothing'))
  return true
}

/**
 * Sets the type of holders that are contracts, with a new sequence for each token of which one changes. Idempotent. To be called under the
 * lock of the cursor.
 *
 * @returns the tokens that changed
 */
export async function showContracts(
  db: Queryable,
  holders: readonly { readonly token: Address; readonly holder: Address }[],
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
