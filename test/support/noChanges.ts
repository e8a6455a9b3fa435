import type { Changes } from '#tables/changes.ts'

export const NO_CHANGES: Changes = {
  tokens: [],
  pools: [],
  ticks: [],
  balances: [],
  creatorFees: [],
  trades: [],
  joinExits: [],
  poolCreations: [],
  milestones: [],
  earlyClasses: [],
  candles: [],
  currencies: [],
  tokensBefore: new Map(),
}
