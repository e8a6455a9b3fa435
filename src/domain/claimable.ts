import type { Address, Hex } from './address.ts'

/** `token`: owed for this token alone; `creator`: one escrow for all of the creator's tokens. */
export type ClaimScope = 'token' | 'creator'

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

/** What a creator has earned, claimed and can claim now in one currency. Amounts are raw integers. */
export interface ClaimableAmount {
  readonly currency: Address
  readonly symbol: string | null
  readonly decimals: number | null
  /** `null` where fees accrue in an LP position and no provider has returned how much it holds. */
  readonly accrued: string | null
  readonly claimed: string
  /** Claimable now; `null` where `accrued` is. */
  readonly amount: string | null
  readonly amountUsd: string | null
  readonly scope: ClaimScope
  /** `null` where the launchpad has no such call. */
  readonly claim: ClaimCall | null
}

/** What an account can claim as a creator in one currency: of one token, or of an escrow for all of its tokens. */
export interface WalletClaim extends ClaimableAmount {
  readonly launchpad: string
  /** `null` where the scope is `creator`. */
  readonly token: Address | null
  /** As `asOfBlock` of a `Claimable`. */
  readonly asOfBlock: string
}

export interface Claimable {
  readonly token: Address
  readonly creator: Address
  /** The block of the amounts. For fees in an LP position that is the block of the last read, which may be behind the indexed one. */
  readonly asOfBlock: string
  readonly claimable: readonly ClaimableAmount[]
}
