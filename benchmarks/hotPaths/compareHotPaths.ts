import { type Result, takeTurns } from '#benchmarks/harness/benchmark.ts'
import type { Checkout } from '#benchmarks/harness/checkout.ts'
import { reportChange } from '#benchmarks/harness/report.ts'
import { Course } from './course.ts'
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
export function compareHotPaths({ paths, base, changed, minutes, rounds, print, onTurn }: Comparison): Promise<readonly Result[]> {
  const deadline = performance.now() + minutes * 60_000
  return Course.run(1, async course => {
    // Makes the databases of both, and the first turns of a machine that was idle are slower than the others.
    for (const checkout of [base, changed]) for (const path of paths.slice(0, 1)) await course.measure(path, checkout)
    const results: Result[] = []
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
  })
}

/** Measures each path once with small numbers, whose times mean nothing. @throws `Error` when a result is wrong */
export function checkHotPaths(paths: readonly HotPath[], checkout: Checkout, onPath: (name: string) => void): Promise<void> {
  return Course.run(0.02, async course => {
    for (const path of paths) {
      await course.measure(path, checkout)
      onPath(path.name)
    }
  })
}
