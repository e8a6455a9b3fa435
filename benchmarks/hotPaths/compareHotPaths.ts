import { type Result, takeTurns } from '#benchmarks/harness/benchmark.ts'
import type { Checkout } from '#benchmarks/harness/checkout.ts'
import { reportChange } from '#benchmarks/harness/report.ts'
import { openCourse } from './course.ts'
import type { HotPath } from './hotPath.ts'

export interface Comparison {
  readonly paths: readonly HotPath[]
  readonly base: Checkout
  readonly changed: Checkout
  /** For everything. The paths share what is left of it after the preparations. */
  readonly minutes: number
  /** In place of as many as fit. */
  readonly rounds: number | null
  readonly print: (text: string) => void
  readonly onTurn: (text: string) => void
}

/** Fewer show nothing. */
const MIN_ROUNDS = 3

/** Measures hot paths of two checkouts in turn, and prints a table with a verdict for each path as soon as it is measured. */
export async function compareHotPaths(comparison: Comparison): Promise<readonly Result[]> {
  const { paths, base, changed, minutes, rounds, print, onTurn } = comparison
  const deadline = performance.now() + minutes * 60_000
  const course = await openCourse(1)
  const results: Result[] = []
  try {
    // Makes the databases of both, and the first turns of a machine that was idle are slower than the others.
    for (const checkout of [base, changed]) for (const path of paths.slice(0, 1)) await course.measure(path, checkout)
    for (const [index, path] of paths.entries()) {
      const begunAtMs = performance.now()
      const share = (deadline - begunAtMs) / (paths.length - index)
      const fits = (taken: number) => ((performance.now() - begunAtMs) / taken) * (taken + 1) <= share
      const arms = [base, changed].map(checkout => ({ name: checkout.name, measure: () => course.measure(path, checkout) }))
      const result = await takeTurns(
        { name: path.name, about: path.about, figures: path.figures, arms },
        {
          goesOn: taken => (rounds === null ? taken < MIN_ROUNDS || fits(taken) : taken < rounds),
          onTurn: ({ round, arm }) => onTurn(`${path.name}, round ${round}: ${arm}`),
        },
      )
      onTurn('')
      print(reportChange(result))
      results.push(result)
    }
    return results
  } finally {
    await course.stop()
  }
}

/** Measures each path once with small numbers, whose times mean nothing. @throws `Error` when a result is wrong */
export async function checkHotPaths(paths: readonly HotPath[], checkout: Checkout, onPath: (name: string) => void): Promise<void> {
  const course = await openCourse(0.02)
  try {
    for (const path of paths) {
      await course.measure(path, checkout)
      onPath(path.name)
    }
  } finally {
    await course.stop()
  }
}
