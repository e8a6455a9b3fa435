import type { HolderType } from './holder.ts'

/** Types of holders whose balance is a reserve, or out of circulation for good. Shares leave them out. */
export const RESERVE_TYPES: readonly HolderType[] = ['pool', 'curve', 'locker', 'burn']

/** The minimum share of each size of holders, in percent of the total supply. */
export const HOLDER_SIZES = [5, 1, 0.5, 0.1, 0] as const
