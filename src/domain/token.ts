export const POOL_TYPES = ['curve', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'] as const

export type PoolType = (typeof POOL_TYPES)[number]

/** `none`: the launchpad has no graduation; `completed`: the target is reached and the pool not yet made. */
export const GRADUATION_STATUSES = ['none', 'bonding', 'completed', 'migrated'] as const

export type GraduationStatus = (typeof GRADUATION_STATUSES)[number]
