import { median, medianInterval } from '#benchmarks/support/quantile.ts'
import type { ArmKind } from './arms.ts'
import type { Step } from './progress.ts'

/** What a scenario measures of an arm. */
export interface Figure {
  readonly name: string
  readonly unit: 'ms' | 'µs' | '/s' | 'MB' | 'KB' | 'bytes' | ''
  readonly better: 'more' | 'less'
}

export type Figures = Readonly<Record<string, number>>

/** One situation, and who is put into it. */
export interface Scenario {
  readonly name: string
  /** One sentence: what happens and what is measured. */
  readonly about: string
  readonly arms: readonly ArmKind[]
  /** The arm that ratios are to. */
  readonly base: ArmKind
  readonly figures: readonly Figure[]
  /** The goals of the project for ratios of Tokenwire, in the terms of this scenario. */
  readonly goals?: readonly Goal[]
  /** More rounds would tell nothing more, or take too long. */
  readonly mostRounds?: number
  /**
   * Puts an arm into the situation once, in processes of its own.
   *
   * @throws `Error` when an update is missing where none may be, or came twice or out of order
   */
  measure(arm: ArmKind): Promise<Figures>
}

export interface Goal {
  readonly figure: string
  readonly of: string
  /** `null`: the goal is for the figure itself. */
  readonly to: string | null
  /** The ratio `of` ÷ `to` (or the figure) that has to be reached: at least where more is better, at most where less is. */
  readonly ratio: number
}

/** A figure of each round against the same round's base, so that what disturbs a round disturbs both sides of its ratio. */
export interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

export interface ArmResult {
  readonly arm: string
  readonly perRound: readonly Figures[]
  /** Medians over the rounds. */
  readonly figures: Figures
  readonly ratios: Readonly<Record<string, Ratio>>
}

export interface ScenarioResult {
  readonly scenario: string
  readonly about: string
  readonly base: string
  readonly figures: readonly Figure[]
  readonly arms: readonly ArmResult[]
  readonly goals: readonly GoalResult[]
}

export interface GoalResult extends Goal {
  readonly reached: number
  readonly isReached: boolean
}

/** Lets the arms take turns, in an order that is reversed every round. */
export async function runScenario(scenario: Scenario, rounds: number, progress: (step: Step) => void): Promise<ScenarioResult> {
  const perRound = new Map<string, Figures[]>(scenario.arms.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const arm of round % 2 === 0 ? scenario.arms : scenario.arms.toReversed()) {
      progress({ scenario: scenario.name, round: round + 1, rounds, arm: arm.name })
      perRound.get(arm.name)?.push(await scenario.measure(arm))
    }
  }
  const roundsOf = (name: string) => perRound.get(name) ?? []
  const base = roundsOf(scenario.base.name)
  const arms = scenario.arms.map(({ name }) => armResult(name, roundsOf(name), base, scenario.figures))
  // Of an arm that is not installed nothing is claimed.
  const measured = (scenario.goals ?? []).filter(({ of, to }) => [of, to].every(arm => arm === null || roundsOf(arm).length > 0))
  const goals = measured.map((goal): GoalResult => {
    const reached =
      goal.to === null
        ? median(roundsOf(goal.of).map(round => round[goal.figure] ?? Number.NaN))
        : ratioOf(roundsOf(goal.of), roundsOf(goal.to), goal.figure).median
    const better = scenario.figures.find(({ name }) => name === goal.figure)?.better
    return { ...goal, reached, isReached: better === 'more' ? reached >= goal.ratio : reached <= goal.ratio }
  })
  const { name, about, figures } = scenario
  return { scenario: name, about, base: scenario.base.name, figures, arms, goals }
}

function armResult(arm: string, perRound: readonly Figures[], base: readonly Figures[], figures: readonly Figure[]): ArmResult {
  const present = figures.filter(({ name }) => perRound.every(round => round[name] !== undefined))
  return {
    arm,
    perRound,
    figures: Object.fromEntries(present.map(({ name }) => [name, median(perRound.map(round => round[name] ?? 0))])),
    ratios: Object.fromEntries(
      present.filter(({ name }) => base.every(round => round[name] !== undefined)).map(({ name }) => [name, ratioOf(perRound, base, name)]),
    ),
  }
}

function ratioOf(of: readonly Figures[], to: readonly Figures[], figure: string): Ratio {
  const ratios = of.map((round, index) => (round[figure] ?? Number.NaN) / (to[index]?.[figure] ?? Number.NaN))
  return { median: median(ratios), ...medianInterval(ratios) }
}
