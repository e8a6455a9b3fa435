import { sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ClaimCursor, ClaimsQuery, WalletClaim } from '#resources/claims.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { lookUpIfAny } from '#store/rows/lookUp.ts'
import { toBytes } from '#tables/toBytes.ts'
import { readAsOf } from './asOf.ts'
import { asOfBlock as blockOf, type ClaimableOptions, FEE_FIELDS, FEE_PARTS, type FeeRow, toAmount } from './claimable.ts'

/** The most rows of `creator_fee` that a page looks at. */
export const MAX_CLAIMS_LOOKED_AT = 500

interface ClaimRow extends FeeRow {
  readonly token: Address
  readonly currency: Address
  /** Any token of the launchpad that the creator created. */
  readonly any_token: Address | null
}

/** The key of the last row of `creator_fee` that was looked at, `null` if no rows follow it; and a row to list, if there is one. */
type PageRow = { readonly end_token: Address | null; readonly end_launchpad: string; readonly end_currency: Address } & (
  | (ClaimRow & { readonly isFound: true })
  | { readonly isFound: null }
)

/**
 * One page of the fees that an account can claim as a creator, by token, launchpad and currency. Escrows for all of its tokens come first.
 * Fees with nothing to claim are left out, so a page may have fewer than `limit`, even none, and a next page.
 */
export async function readClaims(db: Queryable, query: ClaimsQuery, options: ClaimableOptions): Promise<Page<WalletClaim, ClaimCursor>> {
  const { address: creator, limit, cursor } = query
  const lookedAt = Math.max(limit + 1, MAX_CLAIMS_LOOKED_AT)
  const after =
    cursor === undefined
      ? sql``
      : sql`and (token, launchpad, currency) > (${toBytes(cursor.token)}::bytea, ${cursor.launchpad}, ${toBytes(cursor.currency)}::bytea)`
  const { rows, asOfBlock } = await readAsOf(
    db,
    sql<PageRow>`
    with looked as materialized (
      select * from creator_fee where creator = ${toBytes(creator)} ${after} order by token, launchpad, currency limit ${lookedAt}
    ),
    finish as (select token, launchpad, currency from looked order by token, launchpad, currency offset ${lookedAt - 1}),
    page as (
      select * from looked where accrued is distinct from claimed order by token, launchpad, currency limit ${limit + 1}
    )
    select finish.token as end_token, finish.launchpad as end_launchpad, finish.currency as end_currency, listed.*
    from (select) as one left join finish on true left join (
      select true as "isFound", fee.token, fee.launchpad, ${FEE_FIELDS}, any_token.address as any_token
      from page as fee cross join chain_state
      ${lookUpIfAny('token', sql`token.address = fee.token`)}
      left join lateral (
        select address from token as made where made.creator = ${toBytes(creator)} and made.launchpad = fee.launchpad
        order by made.graduation_status, made.address limit 1
      ) as any_token on fee.scope = 'creator'
      ${FEE_PARTS}
    ) as listed on true
    order by listed.token, listed.launchpad, listed.currency`,
  )
  const found = rows.flatMap(row => (row.isFound === true ? [row] : []))
  const data = found.slice(0, limit).map(row => toClaim(row, options))
  const last = found.length > limit ? found[limit - 1] : undefined
  return { data: data.filter(({ amount }) => amount !== '0'), next: last === undefined ? endOf(rows[0]) : cursorOf(last), asOfBlock }
}

function endOf(row: PageRow | undefined): ClaimCursor | null {
  if (row === undefined || row.end_token === null) return null
  return { token: row.end_token, launchpad: row.end_launchpad, currency: row.end_currency }
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
