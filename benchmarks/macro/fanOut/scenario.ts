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

/** What an arm did in its rounds, in order; `null`: it failed in it. */
export type Rounds = readonly (Figures | null)[]

export interface ArmResult {
  readonly arm: string
  readonly perRound: Rounds
  /** Medians over the rounds that it finished; empty when it finished none. */
  readonly figures: Figures
  readonly ratios: Readonly<Record<string, Ratio>>
  /** What went wrong in the rounds that it did not finish. */
  readonly failures: readonly string[]
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

/** An arm that failed so often has no more turns: a server that dies under a load would cost each round its timeout. */
const MOST_FAILURES = 2

/** Lets the arms take turns, in an order that is reversed every round. An arm that fails has no figure of that round, and the others go on. */
export async function runScenario(scenario: Scenario, rounds: number, progress: (step: Step) => void): Promise<ScenarioResult> {
  const measured = scenario.arms.map(arm => ({ arm, perRound: [] as (Figures | null)[], failures: [] as string[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { arm, perRound, failures } of round % 2 === 0 ? measured : measured.toReversed()) {
      progress({ scenario: scenario.name, round: round + 1, rounds, arm: arm.name })
      try {
        perRound.push(failures.length < MOST_FAILURES ? await scenario.measure(arm) : null)
      } catch (error) {
        perRound.push(null)
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
  }
  const { name, about, base, figures, goals = [] } = scenario
  const arms = measured.map(({ arm, perRound, failures }) => ({ arm: arm.name, perRound, failures }))
  return summarise({ scenario: name, about, base: base.name, figures, goals, arms })
}

export interface Measured extends Omit<ScenarioResult, 'arms' | 'goals'> {
  readonly goals: readonly Goal[]
  readonly arms: readonly Pick<ArmResult, 'arm' | 'perRound' | 'failures'>[]
}

/** What the rounds say together. */
export function summarise({ scenario, about, base, figures, goals, arms }: Measured): ScenarioResult {
  const roundsOf = (name: string): Rounds => arms.find(({ arm }) => arm === name)?.perRound ?? []
  return {
    scenario,
    about,
    base,
    figures,
    arms: arms.map(arm => ({ ...arm, ...summariseArm(arm.perRound, roundsOf(base), figures) })),
    goals: goals.flatMap(goal => goalResult(goal, roundsOf, figures)),
  }
}

function summariseArm(perRound: Rounds, base: Rounds, figures: readonly Figure[]): Pick<ArmResult, 'figures' | 'ratios'> {
  const medians = figures.flatMap(({ name }) => {
    const values = perRound.flatMap(round => round?.[name] ?? [])
    return values.length === 0 ? [] : [[name, median(values)] as const]
  })
  const ratios = figures.flatMap(({ name }) => {
    const ratio = ratioOf(perRound, base, name)
    return ratio === null ? [] : [[name, ratio] as const]
  })
  return { figures: Object.fromEntries(medians), ratios: Object.fromEntries(ratios) }
}

/** Of an arm that is not installed, or has failed, nothing is claimed. */
function goalResult(goal: Goal, roundsOf: (arm: string) => Rounds, figures: readonly Figure[]): readonly GoalResult[] {
  const { figure, of, to, ratio } = goal
  const own = roundsOf(of).flatMap(round => round?.[figure] ?? [])
  if (own.length === 0) return []
  const reached = to === null ? median(own) : ratioOf(roundsOf(of), roundsOf(to), figure)?.median
  if (reached === undefined) return []
  const better = figures.find(({ name }) => name === figure)?.better
  return [{ figure, of, to, ratio, reached, isReached: better === 'more' ? reached >= ratio : reached <= ratio }]
}

/** `null`: there is no round in which both have the figure. */
function ratioOf(of: Rounds, to: Rounds, figure: string): Ratio | null {
  const ratios = of.flatMap((round, index) => {
    const [value, base] = [round?.[figure], to[index]?.[figure]]
    return value === undefined || base === undefined ? [] : [value / base]
  })
  return ratios.length === 0 ? null : { median: median(ratios), ...medianInterval(ratios) }
}
