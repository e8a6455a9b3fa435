/** `contract`: it has code, and no launchpad announced it. Only the largest holders are checked for code; others are a `wallet`. */
export const HOLDER_TYPES = ['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract'] as const
export type HolderType = (typeof HOLDER_TYPES)[number]
