import { median, medianInterval } from '#benchmarks/support/quantile.ts'
import type { ArmKind } from './arms.ts'
import type { Step } from './progress.ts'

/** What a scenario measures. */
export interface Figure {
  readonly name: string
  readonly unit: 'ms' | 'µs' | '/s' | 'MB' | 'KB' | 'bytes' | ''
  readonly better: 'more' | 'less'
}

export type Figures = Readonly<Record<string, number>>

/** One situation and its arms. */
export interface Scenario {
  readonly name: string
  /** One sentence: what happens, and what is measured. */
  readonly about: string
  readonly arms: readonly ArmKind[]
  /** The arm that ratios refer to. */
  readonly base: ArmKind
  readonly figures: readonly Figure[]
  /** The project's goals for Tokenwire in this scenario. */
  readonly goals?: readonly Goal[]
  /** The maximum number of rounds, where more would show nothing new or take too long. */
  readonly maxRounds?: number
  /**
   * Measures an arm once, in new processes.
   *
   * @throws `Error` when a required update is missing, or an update arrives twice or out of order
   */
  measure(arm: ArmKind): Promise<Figures>
}

export interface Goal {
  readonly figure: string
  readonly of: string
  /** `null`: the goal applies to the figure itself. */
  readonly to: string | null
  /** The goal for the ratio `of` ÷ `to`, or for the figure: a minimum where more is better, a maximum where less is. */
  readonly ratio: number
}

/** A figure divided by the base of the same round, so that a disturbance of the round affects both sides of the ratio. */
export interface Ratio {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The figures of each round, in order; `null`: the arm failed in the round. */
export type Rounds = readonly (Figures | null)[]

export interface ArmResult {
  readonly arm: string
  readonly perRound: Rounds
  /** Medians over the finished rounds; empty without one. */
  readonly figures: Figures
  readonly ratios: Readonly<Record<string, Ratio>>
  /** The errors of the other rounds. */
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

/** After this number of failures an arm has no more turns: a server that dies under the load would cost a timeout in each round. */
const MAX_FAILURES = 2

/** Measures the arms in turn; the order is reversed every round. A failing arm has no figure for the round, and the others continue. */
export async function runScenario(scenario: Scenario, rounds: number, progress: (step: Step) => void): Promise<ScenarioResult> {
  const measured = scenario.arms.map(arm => ({ arm, perRound: [] as (Figures | null)[], failures: [] as string[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { arm, perRound, failures } of round % 2 === 0 ? measured : measured.toReversed()) {
      progress({ scenario: scenario.name, round: round + 1, rounds, arm: arm.name })
      try {
        perRound.push(failures.length < MAX_FAILURES ? await scenario.measure(arm) : null)
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

/** The summary of all rounds. */
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

/** An arm that is not installed or has failed has no goals. */
function goalResult(goal: Goal, roundsOf: (arm: string) => Rounds, figures: readonly Figure[]): readonly GoalResult[] {
  const { figure, of, to, ratio } = goal
  const own = roundsOf(of).flatMap(round => round?.[figure] ?? [])
  if (own.length === 0) return []
  const reached = to === null ? median(own) : ratioOf(roundsOf(of), roundsOf(to), figure)?.median
  if (reached === undefined) return []
  const better = figures.find(({ name }) => name === figure)?.better
  return [{ figure, of, to, ratio, reached, isReached: better === 'more' ? reached >= ratio : reached <= ratio }]
}

/** `null`: no round has the figure for both. */
function ratioOf(of: Rounds, to: Rounds, figure: string): Ratio | null {
  const ratios = of.flatMap((round, index) => {
    const [value, base] = [round?.[figure], to[index]?.[figure]]
    return value === undefined || base === undefined ? [] : [value / base]
  })
  return ratios.length === 0 ? null : { median: median(ratios), ...medianInterval(ratios) }
}
