import { sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { WalletClaim } from '#domain/claimable.ts'
import type { ClaimCursor, ClaimsQuery, Page } from '#domain/queries.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { asOfBlock as blockOf, type ClaimableOptions, FEE_FIELDS, FEE_PARTS, type FeeRow, toAmount } from './claimable.ts'

/** Most of a creator's accounts that a page looks at. */
export const MOST_CLAIMS_LOOKED_AT = 500

interface ClaimRow extends FeeRow {
  readonly token: Address
  readonly currency: Address
  /** Any token of the launchpad that the account created. */
  readonly any_token: Address | null
}

/**
 * One page of what an account can claim as a creator, by token, launchpad and currency, escrows for all of its tokens first. Accounts with
 * nothing to claim are left out: a page may hold fewer than `limit`, even none, and have a next one.
 */
export async function readClaims(db: Queryable, query: ClaimsQuery, options: ClaimableOptions): Promise<Page<WalletClaim, ClaimCursor>> {
  const { creator, limit, cursor } = query
  const lookedAt = Math.max(limit, MOST_CLAIMS_LOOKED_AT) + 1
  const after =
    cursor === undefined
      ? sql``
      : sql`and (token, launchpad, currency) > (${toBytes(cursor.token)}::bytea, ${cursor.launchpad}, ${toBytes(cursor.currency)}::bytea)`
  const page = sql<ClaimRow>`
    select fee.token, fee.launchpad, ${FEE_FIELDS}, any_token.address as any_token
    from (
      select * from creator_fee where creator = ${toBytes(creator)} ${after} order by token, launchpad, currency limit ${lookedAt}
    ) as fee
    cross join chain_state
    left join lateral (select created_at from token where token.address = fee.token offset 0) as token on true
    left join lateral (
      select address from token as made where made.creator = ${toBytes(creator)} and made.launchpad = fee.launchpad limit 1
    ) as any_token on fee.scope = 'creator'
    ${FEE_PARTS}
    order by fee.token, fee.launchpad, fee.currency`
  const { rows, asOfBlock } = await readAsOf(db, page)
  const data: WalletClaim[] = []
  let last: ClaimRow | undefined
  for (const row of rows.slice(0, lookedAt - 1)) {
    if (data.length === limit) break
    last = row
    const claim = toClaim(row, options)
    if (claim.amount !== '0') data.push(claim)
  }
  const isLast = last === undefined || last === rows.at(-1)
  return { data, next: isLast ? null : cursorOf(last as ClaimRow), asOfBlock }
}

function cursorOf({ token, launchpad, currency }: ClaimRow): ClaimCursor {
  return { token, launchpad, currency }
}

function toClaim(row: ClaimRow, options: ClaimableOptions): WalletClaim {
  const { launchpad, scope, token, currency, any_token: anyToken } = row
  return {
    launchpad,
    token: scope === 'token' ? token : null,
    asOfBlock: String(blockOf(row.cursor_number ?? 0, [row])),
    ...toAmount(row, { token: scope === 'token' ? token : (anyToken ?? ZERO_ADDRESS), currency }, options),
  }
}
