import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { BlockHeader } from '#domain/block.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { bytesToAddress, toBytes } from './bytes.ts'

/*
 * No event tells whether a holder is a contract. The largest holders of a token are looked up, once and for all tokens; one that is found to be a
 * contract gets the type in its balances when a token that shows it is looked through.
 */

/** A page's default: smaller holders are of interest to nobody who doesn't ask for them. */
const LARGEST = 50

/** A holder that passes for a wallet, and what is known of its code. */
export interface PlainHolder {
  readonly token: Address
  readonly holder: Address
  /** `null`: it was not looked up. */
  readonly contract: boolean | null
}

/** Of the largest holders of tokens those that pass for wallets and may be none, at most so many. */
export async function readPlainHolders(
  db: Queryable,
  { tokens, limit }: { readonly tokens: readonly Address[]; readonly limit: number },
): Promise<readonly PlainHolder[]> {
  if (tokens.length === 0) return []
  // "offset 0" keeps it a look-up per holder: joined as a table, the server may read all that was ever looked up.
  const { rows } = await sql<{ token: Buffer; holder: Buffer; contract: boolean | null }>`
    select asked.token, largest.holder, code.contract
    from unnest(${tokens.map(toBytes)}::bytea[]) as asked (token)
    cross join lateral (
      select balance.holder, balance.type from balance where balance.token = asked.token and balance.balance > 0
      order by - balance.balance, balance.holder limit ${sql.lit(LARGEST)}
    ) as largest
    left join lateral (select contract from holder_code where holder_code.holder = largest.holder offset 0) as code on true
    where largest.type = 'wallet' and code.contract is not false
    limit ${limit}`.execute(db)
  return rows.map(({ token, holder, contract }) => ({ token: bytesToAddress(token), holder: bytesToAddress(holder), contract }))
}

/** Tokens by address, for going through all of them: at most so many behind one. */
export async function readTokensAfter(db: Queryable, after: Address, limit: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Buffer }>`
    select address from token where address > ${toBytes(after)} order by address limit ${limit}`.execute(db)
  return rows.map(({ address }) => bytesToAddress(address))
}

export interface HolderCode {
  readonly holder: Address
  readonly contract: boolean
}

/**
 * Remembers what was found at a block. To be called under the lock of the cursor: what was asked of a block that is indexed no longer is dropped.
 *
 * @returns whether it was stored
 */
export async function writeHolderCodes(
  db: Queryable,
  block: Pick<BlockHeader, 'number' | 'hash'>,
  codes: readonly HolderCode[],
): Promise<boolean> {
  const { rows } = await sql`select from block where number = ${block.number} and hash = ${toBytes(block.hash)}`.execute(db)
  if (rows.length === 0) return false
  await sql`
    insert into holder_code (holder, contract)
    select * from unnest(${codes.map(({ holder }) => toBytes(holder))}::bytea[], ${codes.map(({ contract }) => contract)}::boolean[])
    on conflict (holder) do nothing`.execute(db)
  return true
}

/**
 * Gives holders that are contracts their type. Each token of which one changes gets a new, higher sequence. Repeated, it changes nothing more.
 * Only under the lock of the cursor.
 *
 * @returns the tokens that changed
 */
export async function showContracts(
  db: Queryable,
  holders: readonly { readonly token: Address; readonly holder: Address }[],
  committedAtMs: number,
): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Buffer }>`
    with shown as (
      update balance set type = 'contract'
      from unnest(${holders.map(({ token }) => toBytes(token))}::bytea[], ${holders.map(({ holder }) => toBytes(holder))}::bytea[]) as found (token, holder)
      where balance.token = found.token and balance.holder = found.holder and balance.type = 'wallet' returning balance.token
    )
    update token set sequence = greatest(sequence + 1, ${committedAtMs}), updated_at_ms = ${committedAtMs}
    where address in (select token from shown) returning address`.execute(db)
  return rows.map(({ address }) => bytesToAddress(address))
}
