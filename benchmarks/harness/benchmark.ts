import { median, medianInterval } from './quantile.ts'

/** What a benchmark measures. */
export interface Figure {
  readonly name: string
  readonly unit: 'ms' | 'µs' | '/s' | 'MB' | 'KB' | 'bytes' | ''
  readonly better: 'more' | 'less'
}

export type Figures = Readonly<Record<string, number>>

/** One of the compared: a server, a checkout, an indexer. */
export interface Arm {
  readonly name: string
  /**
   * Measures once, in new processes.
   *
   * @throws `Error` when a result is wrong: it has no figures then
   */
  measure(): Promise<Figures>
}

/** One situation, and who is measured in it. */
export interface Benchmark {
  readonly name: string
  /** One sentence: what happens, and what is measured. */
  readonly about: string
  /** The first arm is the one that ratios refer to. */
  readonly arms: readonly Arm[]
  readonly figures: readonly Figure[]
}

/** A figure divided by the base's of the same round, so that a disturbance of the round affects both sides of the ratio. */
export interface Ratio {
  readonly median: number
  /** The 95 % interval of the median. */
  readonly low: number
  readonly high: number
}

/** The figures of each round, in order; `null`: the arm failed. */
export type Rounds = readonly (Figures | null)[]

export interface ArmResult {
  readonly arm: string
  readonly perRound: Rounds
  /** Medians over the rounds; empty without one. */
  readonly figures: Figures
  /** To the base; empty where one of the two has no round. */
  readonly ratios: Readonly<Record<string, Ratio>>
  /** The errors of the failed rounds. */
  readonly failures: readonly string[]
}

export interface Result {
  readonly benchmark: string
  readonly about: string
  readonly figures: readonly Figure[]
  readonly arms: readonly ArmResult[]
  /**
   * How far two turns of the same arm, one directly after the other, are from each other: the median of the larger divided by the
   * smaller. No value: too few rounds.
   */
  readonly noise: Figures
}

/** After this number of failures an arm has no more turns: a server that dies under the load would cost a timeout in each round. */
const MAX_FAILURES = 2

export interface TurnsOptions {
  /** Whether another round follows the given number of rounds. */
  readonly goesOn: (rounds: number) => boolean
  readonly onTurn?: (turn: { readonly benchmark: string; readonly round: number; readonly arm: string }) => void
}

/**
 * Measures the arms in turn. The order is reversed every round, so that the last arm of a round is measured twice in a row, which shows the
 * noise. A failing arm has no figures for the round, and the others continue.
 */
export async function takeTurns(benchmark: Benchmark, { goesOn, onTurn }: TurnsOptions): Promise<Result> {
  const measured = benchmark.arms.map(arm => ({ arm, perRound: [] as (Figures | null)[], failures: [] as string[] }))
  for (let round = 0; round === 0 || goesOn(round); round++) {
    for (const { arm, perRound, failures } of orderOf(measured, round)) {
      onTurn?.({ benchmark: benchmark.name, round: round + 1, arm: arm.name })
      try {
        perRound.push(failures.length < MAX_FAILURES ? await arm.measure() : null)
      } catch (error) {
        perRound.push(null)
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
  }
  const base = measured[0]?.perRound ?? []
  return {
    benchmark: benchmark.name,
    about: benchmark.about,
    figures: benchmark.figures,
    arms: measured.map(({ arm, perRound, failures }) => ({
      arm: arm.name,
      perRound,
      figures: eachFigure(benchmark.figures, name => medianOf(perRound.flatMap(round => round?.[name] ?? []))),
      ratios: eachFigure(benchmark.figures, name => ratioOf(perRound, base, name)),
      failures,
    })),
    noise: eachFigure(benchmark.figures, name => noiseOf(measured, name)),
  }
}

function orderOf<T>(arms: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? arms : arms.toReversed()
}

/** `undefined` of a figure leaves it out. */
function eachFigure<T>(figures: readonly Figure[], of: (name: string) => T | undefined): Readonly<Record<string, T>> {
  return Object.fromEntries(
    figures.flatMap(({ name }) => {
      const value = of(name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

function medianOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : median(values)
}

function ratioOf(rounds: Rounds, base: Rounds, figure: string): Ratio | undefined {
  const ratios = rounds.flatMap((round, index) => {
    const [value, to] = [round?.[figure], base[index]?.[figure]]
    return value === undefined || to === undefined || to === 0 ? [] : [value / to]
  })
  return ratios.length === 0 ? undefined : { median: median(ratios), ...medianInterval(ratios) }
}

function noiseOf(arms: readonly { readonly perRound: Rounds }[], figure: string): number | undefined {
  const rounds = arms[0]?.perRound.length ?? 0
  const distances = Array.from({ length: Math.max(0, rounds - 1) }, (_, round) => {
    const twice = orderOf(arms, round).at(-1)?.perRound
    const [one, other] = [twice?.[round]?.[figure], twice?.[round + 1]?.[figure]]
    return one && other ? [Math.max(one / other, other / one)] : []
  }).flat()
  return medianOf(distances)
}
