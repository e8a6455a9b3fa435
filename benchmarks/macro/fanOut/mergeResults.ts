import { type Measured, type Rounds, type ScenarioResult, summarise } from './scenario.ts'

/**
 * Merges several runs: the rounds of a scenario are concatenated, so that parts that were run at different times give one table. An arm
 * that a run did not have is absent from its rounds.
 */
export function mergeResults(runs: readonly (readonly ScenarioResult[])[]): readonly ScenarioResult[] {
  const merged = new Map<string, Measured>()
  for (const run of runs) {
    for (const result of run) {
      const earlier = merged.get(result.scenario)
      merged.set(result.scenario, earlier === undefined ? result : append(earlier, result))
    }
  }
  return [...merged.values()].map(summarise)
}

function append(earlier: Measured, later: ScenarioResult): Measured {
  const names = [...new Set([...earlier.arms, ...later.arms].map(({ arm }) => arm))]
  const [before, after] = [roundCount(earlier.arms), roundCount(later.arms)]
  const arms = names.map(name => {
    const [first, second] = [earlier, later].map(({ arms: of }) => of.find(({ arm }) => arm === name))
    return {
      arm: name,
      perRound: [...padded(first?.perRound ?? [], before), ...padded(second?.perRound ?? [], after)],
      failures: [...(first?.failures ?? []), ...(second?.failures ?? [])],
    }
  })
  return { ...later, arms }
}

function roundCount(arms: Measured['arms']): number {
  return Math.max(0, ...arms.map(({ perRound }) => perRound.length))
}

function padded(rounds: Rounds, count: number): Rounds {
  return [...rounds, ...Array.from({ length: count - rounds.length }, () => null)]
}
