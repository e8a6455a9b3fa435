import { textTable } from '#benchmarks/support/textTable.ts'
import type { Other } from './checkouts.ts'
import { formatRatio } from './report.ts'
import type { Ratio, ScenarioResult } from './scenario.ts'

export type Change = 'better' | 'worse' | 'none'

/**
 * Whether a figure differs by more than the noise.
 *
 * 1. Its interval must not contain 1: nearly all rounds agree about the direction. 2. Its median must be twice as far from 1 as the
 *   median of the same code's second turn.
 *
 * @param ratio of this checkout to the other
 * @param noise of the other checkout to itself
 */
export function judgeChange(ratio: Ratio, noise: Ratio, better: 'more' | 'less'): Change {
  const distance = Math.abs(Math.log(ratio.median))
  const isClear = (ratio.low > 1 || ratio.high < 1) && distance > 2 * Math.abs(Math.log(noise.median))
  if (!isClear) return 'none'
  return ratio.median > 1 === (better === 'more') ? 'better' : 'worse'
}

/** A table of all figures of two checkouts, with a verdict for each. */
export function reportChanges(results: readonly ScenarioResult[], { arms: [here, , thereAgain] }: Other): string {
  const rows = results.flatMap(({ scenario, figures, arms }) =>
    figures.flatMap(({ name, better }) => {
      const ratio = arms.find(({ arm }) => arm === here.name)?.ratios[name]
      const noise = arms.find(({ arm }) => arm === thereAgain.name)?.ratios[name]
      if (ratio === undefined || noise === undefined) return []
      const change = judgeChange(ratio, noise, better)
      return [[scenario, name, formatRatio(ratio), formatRatio(noise), change === 'none' ? 'no change beyond noise' : change.toUpperCase()]]
    }),
  )
  return `${textTable(['', 'figure', 'this ÷ other', 'other ÷ itself', ''], rows)}\n`
}
