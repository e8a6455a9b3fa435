import type { Address } from './address.ts'
import type { HolderType } from './holder.ts'

/** Types of holders that hold in reserve or for good. Shares leave them out. */
export const RESERVE_TYPES: readonly HolderType[] = ['pool', 'curve', 'locker', 'burn']

/** The least share of each size of holders, in percent of the total supply. */
export const HOLDER_SIZES = [5, 1, 0.5, 0.1, 0] as const

export interface HolderSize {
  /** A holder of this size has at least so much of the total supply, and less than the least share of the size before it. */
  readonly minPercent: number
  readonly holders: number
  /** What they hold together, of the total supply. */
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
  /** The largest first. The last one is the rest: small reserves are among it. */
  readonly sizes: readonly HolderSize[]
  readonly asOfBlock: string
}
