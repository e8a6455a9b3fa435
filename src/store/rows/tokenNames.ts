import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { toBytes } from '#tables/toBytes.ts'
import type { Statements } from './insertRows.ts'

/** Writes the names by which search finds tokens, in the transaction that launched, renamed or deleted them. */
export function* writeTokenNames(tokens: readonly Address[]): Statements {
  if (tokens.length === 0) return
  const keys = sql`${tokens.map(toBytes)}::bytea[]`
  yield sql`delete from token_name where token = any(${keys})`
  yield sql`insert into token_name (token, name) select address, name from token where address = any(${keys}) and name is not null`
}
