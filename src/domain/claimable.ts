import type { Address, Hex } from './address.ts'

/** `token`: owed for this token alone; `creator`: one escrow for all of the creator's tokens. */
export type ClaimScope = 'token' | 'creator'

/** What a creator has earned, taken and can take now in one currency; amounts are raw integers. */
export interface ClaimableAmount {
  readonly currency: Address
  readonly symbol: string | null
  readonly decimals: number | null
  /** `null` where what accrues lies uncollected in a Uniswap position, and no provider has told how much. */
  readonly accrued: string | null
  readonly claimed: string
  /** What can be claimed now; `null` where `accrued` is. */
  readonly amount: string | null
  readonly amountUsd: string | null
  readonly scope: ClaimScope
  /** The call that pays it out, to be sent by the creator; `null` where the launchpad has none. */
  readonly claim: { readonly to: Address; readonly data: Hex } | null
}

export interface Claimable {
  readonly token: Address
  readonly creator: Address
  /** An amount that lies in a position is of the block for which it was asked; then that is older than what is indexed. */
  readonly asOfBlock: string
  readonly claimable: readonly ClaimableAmount[]
}
