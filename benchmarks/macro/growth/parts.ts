/** What is measured; `--only` chooses. */
export const GROWTH_PARTS = ['requests', 'commits', 'hot token'] as const
export type GrowthPart = (typeof GROWTH_PARTS)[number]
