import type { Address, Hex } from './address.ts'

/** A call that changes nothing. */
export interface ContractCall {
  readonly to: Address
  readonly data: Hex
  /** Where no provider has the state of the block, the answer is `null`. Left out: it is waited for. */
  readonly isOptional?: boolean
}

/** A call by an account. `from` left out: the zero address. */
export interface SentCall extends ContractCall {
  readonly from?: Address
}

/** Calls on the state at the end of a block. */
export interface BlockCalls {
  readonly number: number
  readonly hash: Hex
  readonly calls: readonly ContractCall[]
}

/** What a contract returned, cut to 6,016 bytes; `null`: the call failed, or used more than 500,000 gas. */
export type CallAnswer = Hex | null
