export const ACTOR_STATE_NAMES = ['activating', 'live', 'resyncing', 'passivated'] as const
export type ActorStateName = (typeof ACTOR_STATE_NAMES)[number]

export const ACTOR_SORTS = ['subscribers', 'sequence', 'lastUpdateAt'] as const
export type ActorSort = (typeof ACTOR_SORTS)[number]
