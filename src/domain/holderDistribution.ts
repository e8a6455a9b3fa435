import type { Address } from './address.ts'
import type { HolderType } from './holder.ts'

/** Types of holders whose balance is a reserve, or out of circulation for good. Shares leave them out. */
export const RESERVE_TYPES: readonly HolderType[] = ['pool', 'curve', 'locker', 'burn']

/** The minimum share of each size of holders, in percent of the total supply. */
export const HOLDER_SIZES = [5, 1, 0.5, 0.1, 0] as const

export interface HolderSize {
  /** A holder of this size has at least this percentage of the total supply, and less than `minPercent` of the size before it. */
  readonly minPercent: number
  readonly holders: number
  /** Percentage of the total supply that these holders have together. */
  readonly percent: number
}

/** Shares are in percent of the total supply. Pools, curves, lockers and burn addresses are left out. */
export interface HolderDistribution {
  readonly token: Address
  readonly holderCount: number
  readonly topTenPercent: number
  readonly creatorPercent: number
  /** Held by pools, curves, lockers and burn addresses that have at least a thousandth of the supply. */
  readonly reservePercent: number
  /** The largest first. The last size is the rest of the holders, small reserves included. */
  readonly sizes: readonly HolderSize[]
  readonly asOfBlock: string
}
