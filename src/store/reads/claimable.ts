import { sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ClaimCall, ClaimScope, ClaimTarget } from '#domain/claimable.ts'
import { cleanQuoteSymbol } from '#domain/text.ts'
import type { Claimable, ClaimableAmount, ClaimCursor, ClaimsQuery, WalletClaim } from '#resources/claimable.ts'
import type { Page } from '#resources/resource.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { lookUpIfAny } from '#store/rows/insertRows.ts'
import { toBytes } from '#tables/columns.ts'
import { readAsOf } from './page.ts'
import { joinQuote } from './toTrade.ts'

/** Builds the launchpad's call that pays a creator out; `null`: the launchpad has no such call, or there is nothing to pay. */
export type BuildClaimCall = (target: ClaimTarget & { readonly launchpad: string }) => ClaimCall | null

/** The amount of a launchpad's token that has vested by a time (Unix seconds); `null`: nothing vests. */
export type FindVested = (vesting: {
  readonly launchpad: string
  readonly createdAt: number
  readonly endsAt: number
  readonly at: number
}) => bigint | null

/** What converting a stored fee needs besides its row. */
interface ClaimableOptions {
  readonly creator: Address
  readonly weth: Address
  readonly claimCall: BuildClaimCall
  readonly vestedOf: FindVested
}

export interface ClaimableInput extends ClaimableOptions {
  readonly token: Address
}

/** A row with the fields of `FEE_FIELDS`. */
interface FeeRow {
  readonly cursor_number: number | null
  readonly cursor_timestamp: number
  readonly created_at: number | null
  readonly vesting_claimed: string | null
  readonly vesting_ends_at: number | null
  readonly launchpad: string
  readonly scope: ClaimScope
  readonly accrued: string | null
  readonly claimed: string
  readonly claim_id: string | null
  /** The position's uncollected fees at block `asked_at`; `null`: not known, or paid out or handed over since. */
  readonly uncollected: string | null
  readonly asked_at: number | null
  /** Whether the pool has moved since `asked_at`. */
  readonly moved: boolean | null
  readonly currency_symbol: string | null
  readonly currency_decimals: number | null
}

/** The select list of a `FeeRow`, from `fee`, its `token`, `chain_state` and the joins of `FEE_PARTS`. */
const FEE_FIELDS = sql`chain_state.cursor_number, chain_state.cursor_timestamp,
  token.created_at, token.vesting_claimed, token.vesting_ends_at, fee.currency, fee.scope, fee.accrued,
  fee.claimed, fee.claim_id, position.uncollected, position.asked_at, position.moved,
  quote.symbol as currency_symbol, quote.decimals as currency_decimals`

const FEE_PARTS = sql`
  left join lateral (
    select case fee.currency when asked.token then asked.token_amount when pool.quote_token then asked.quote_amount end as uncollected,
      asked.block_number as asked_at, pool.last_changed_block > asked.block_number as moved
    from uncollected_fee as asked join pool on pool.token = asked.token and pool.position_id = fee.claim_id
    where fee.accrued is null and asked.token = fee.token and fee.last_changed_block <= asked.block_number
  ) as position on true
  ${joinQuote(sql`fee.currency`)}`

/**
 * The fees that a creator has earned and claimed of this token, and of the escrow that its launchpad keeps for all of a creator's tokens,
 * in the currencies that this token pays in (ETH, WETH, the token itself and its pools' quote currencies). `null` when the token is not
 * indexed. The token's own fees come first; within each scope WETH, ETH, the token, then others.
 */
export async function readClaimable(db: Queryable, input: ClaimableInput): Promise<Claimable | null> {
  const { token, creator, weth } = input
  const { rows } = await sql<FeeRow & { readonly currency: Address | null }>`
    select token.launchpad, ${FEE_FIELDS}
    from token cross join chain_state
    left join lateral (
      select own.* from creator_fee as own
      where own.launchpad = token.launchpad and own.creator = ${toBytes(creator)} and own.token = token.address
      union all
      select escrow.* from (
        select token.address union values (${toBytes(ZERO_ADDRESS)}::bytea), (${toBytes(weth)}::bytea) union select quote_token from pool where pool.token = token.address
      ) as paid (currency)
      cross join lateral (
        select * from creator_fee where creator_fee.launchpad = token.launchpad and creator_fee.creator = ${toBytes(creator)}
          and creator_fee.currency = paid.currency and creator_fee.token = ${toBytes(ZERO_ADDRESS)} offset 0
      ) as escrow
    ) as fee on true
    ${FEE_PARTS}
    where token.address = ${toBytes(token)}
    order by fee.scope desc, fee.currency = ${toBytes(weth)} desc, fee.currency = ${toBytes(ZERO_ADDRESS)} desc,
      fee.currency = token.address desc, fee.currency`.execute(db)
  const first = rows[0]
  if (first === undefined || first.cursor_number === null) return null
  return {
    token,
    creator,
    asOfBlock: String(asOfBlock(first.cursor_number, rows)),
    claimable: rows.flatMap(row => (row.currency === null ? [] : [toAmount(row, { token, currency: row.currency }, input)])),
  }
}

/** The block as of which fees are: that at which a position was read, or the cursor if its pool has not moved since. */
function asOfBlock(cursor: number, rows: readonly FeeRow[]): number {
  const asked = rows.find(({ uncollected, moved }) => uncollected !== null && moved === true)?.asked_at
  return asked ?? cursor
}

/** A stored fee as the API shows it: raw integers as text, `null` where the amount is not known. The gateway fills in `amountUsd`. */
function toAmount(row: FeeRow, of: Pick<ClaimTarget, 'token' | 'currency'>, options: ClaimableOptions): ClaimableAmount {
  const { creator, weth, claimCall } = options
  const { currency } = of
  const { scope, launchpad, claimed } = row
  const unpaid = row.accrued === null ? (row.uncollected ?? unclaimedVesting(row, of, options)) : BigInt(row.accrued) - BigInt(claimed)
  const amount = unpaid === null ? null : BigInt(unpaid)
  const claimId = row.claim_id === null ? null : BigInt(row.claim_id)
  return {
    currency,
    ...describe(currency, row, weth),
    accrued: amount === null ? null : (amount + BigInt(claimed)).toString(),
    claimed,
    amount: amount?.toString() ?? null,
    amountUsd: null,
    scope,
    claim: claimCall({ launchpad, ...of, creator, scope, amount, claimId }),
  }
}

/** The vested, unclaimed amount of the token itself; `null`: nothing vests to its creator, or it is not known how fast. */
function unclaimedVesting(
  { launchpad, created_at: createdAt, cursor_timestamp: at, vesting_claimed: claimed, vesting_ends_at: endsAt }: FeeRow,
  { token, currency }: Pick<ClaimTarget, 'token' | 'currency'>,
  { vestedOf }: ClaimableOptions,
): bigint | null {
  if (createdAt === null || claimed === null || endsAt === null || currency !== token) return null
  const vested = vestedOf({ launchpad, createdAt, endsAt, at })
  if (vested === null) return null
  return vested > BigInt(claimed) ? vested - BigInt(claimed) : 0n
}

function describe(currency: Address, row: FeeRow, weth: Address): Pick<ClaimableAmount, 'symbol' | 'decimals'> {
  if (currency === weth) return { symbol: 'WETH', decimals: 18 }
  if (currency === ZERO_ADDRESS) return { symbol: 'ETH', decimals: 18 }
  return { symbol: cleanQuoteSymbol(row.currency_symbol), decimals: row.currency_decimals }
}

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
    asOfBlock: String(asOfBlock(row.cursor_number ?? 0, [row])),
    ...toAmount(row, { token: scope === 'token' ? token : (anyToken ?? ZERO_ADDRESS), currency }, options),
  }
}
