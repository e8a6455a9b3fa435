import type { Address, Hex } from './address.ts'

/** `token`: owed for this token alone; `creator`: one escrow for all of the creator's tokens. */
export const CLAIM_SCOPES = ['token', 'creator'] as const
export type ClaimScope = (typeof CLAIM_SCOPES)[number]

/** The key of a row of `creator_fee` in a `Map`. */
export function creatorFeeKey({
  launchpad,
  creator,
  currency,
  token,
}: Readonly<Record<'launchpad' | 'creator' | 'currency' | 'token', string>>): string {
  return `${launchpad} ${creator} ${currency} ${token}`
}

/** What a creator may be owed in one currency, with all that the call to pay it out depends on. */
export interface ClaimTarget {
  readonly token: Address
  readonly creator: Address
  readonly currency: Address
  readonly scope: ClaimScope
  /** Claimable now, in raw units of the currency; `null`: unknown. */
  readonly amount: bigint | null
  /** The `claimId` of the fee's events; `null` where they had none. */
  readonly claimId: bigint | null
}

/** A call that pays a creator out. The creator must send it. */
export interface ClaimCall {
  readonly to: Address
  readonly data: Hex
}
