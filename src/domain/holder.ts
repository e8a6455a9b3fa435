import type { Address } from './address.ts'

export type HolderType = 'wallet' | 'creator' | 'pool' | 'curve' | 'locker' | 'burn' | 'contract'

export const HOLDER_TYPES: readonly HolderType[] = ['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract']

export interface Holder {
  /** From 1, by balance; equal balances are ranked by address. */
  readonly rank: number
  readonly address: Address
  /** Raw token amount. */
  readonly balance: string
  /** Of the total supply, 0 to 100. */
  readonly percent: number
  readonly type: HolderType
  readonly lastChangedBlock: string
}
