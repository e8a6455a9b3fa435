import type { Changes } from '#tables/changes.ts'

export const NO_CHANGES: Changes = {
  tokens: [],
  pools: [],
  balances: [],
  creatorFees: [],
  trades: [],
  joinExits: [],
  poolCreations: [],
  milestones: [],
  candles: [],
  currencies: [],
}
