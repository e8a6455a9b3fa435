import type { Address } from './address.ts'

/** `contract`: it has code, and no launchpad announced it. Only the largest holders are checked for code; others are a `wallet`. */
export const HOLDER_TYPES = ['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract'] as const
export type HolderType = (typeof HOLDER_TYPES)[number]

export interface Holder {
  /** From 1, by balance; equal balances are ranked by address. */
  readonly rank: number
  readonly address: Address
  readonly balance: string
  /** Percentage of the total supply, 0 to 100. */
  readonly percent: number
  readonly type: HolderType
  readonly lastChangedBlock: string
}
