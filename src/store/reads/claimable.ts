import { sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { ClaimCall, ClaimScope, ClaimTarget } from '#domain/claimable.ts'
import { cleanQuoteSymbol } from '#domain/text.ts'
import type { Claimable, ClaimableAmount } from '#resources/claimable.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { toBytes } from '#tables/toBytes.ts'
import { joinQuote } from './joinQuote.ts'

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
export interface ClaimableOptions {
  readonly creator: Address
  readonly weth: Address
  readonly claimCall: BuildClaimCall
  readonly vestedOf: FindVested
}

export interface ClaimableInput extends ClaimableOptions {
  readonly token: Address
}

/** A row with the fields of `FEE_FIELDS`. */
export interface FeeRow {
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
export const FEE_FIELDS = sql`chain_state.cursor_number, chain_state.cursor_timestamp,
  token.created_at, token.vesting_claimed, token.vesting_ends_at, fee.currency, fee.scope, fee.accrued,
  fee.claimed, fee.claim_id, position.uncollected, position.asked_at, position.moved,
  quote.symbol as currency_symbol, quote.decimals as currency_decimals`

export const FEE_PARTS = sql`
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
export function asOfBlock(cursor: number, rows: readonly FeeRow[]): number {
  const asked = rows.find(({ uncollected, moved }) => uncollected !== null && moved === true)?.asked_at
  return asked ?? cursor
}

/** A stored fee as the API shows it: raw integers as text, `null` where the amount is not known. The gateway fills in `amountUsd`. */
export function toAmount(row: FeeRow, of: Pick<ClaimTarget, 'token' | 'currency'>, options: ClaimableOptions): ClaimableAmount {
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
