import { type GrowthScale, tradeCounts } from './scale.ts'
import { planToken, type TokenPlan } from './tokenPlan.ts'

const FIRST_QUIET_RANK = 300

/** Tokens that new blocks trade: the busiest graduated one, and others from the long tail, on curves and in pools. */
export function tradedTokens(scale: GrowthScale, count: number): readonly TokenPlan[] {
  const counts = tradeCounts(scale)
  const plan = (rank: number) => planToken(scale, rank, counts[rank] ?? 0)
  const tokens: TokenPlan[] = []
  for (let rank = 0; tokens.length === 0; rank++) {
    const busy = plan(rank)
    if (busy.fate === 'migrated') tokens.push(busy)
  }
  const step = Math.floor((scale.tokens - FIRST_QUIET_RANK) / (count * 2))
  for (let rank = FIRST_QUIET_RANK; tokens.length < count && rank < scale.tokens; rank += step) {
    const token = plan(rank)
    if (token.fate === 'bonding' || token.fate === 'migrated') tokens.push(token)
  }
  return tokens
}
