import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { Figure, GoalResult, Ratio, ScenarioResult } from './scenario.ts'

/** A scenario's result for the terminal. */
export function reportScenario({ scenario, about, base, figures, arms, goals }: ScenarioResult): string {
  const failures = arms.flatMap(({ arm, perRound, failures: of }) =>
    of.length === 0 ? [] : [`FAILED: ${arm}, in ${of.length} of ${perRound.length} rounds: ${of[0]}`],
  )
  const key = arms.length > 1 ? [`× is the ratio to ${base}: median over rounds (95 % interval).`] : []
  const lines = [
    `${scenario}: ${about}`,
    '',
    figureTable(figures, arms),
    '',
    ...key,
    ...failures,
    ...goals.map(goal => formatGoal(goal)),
    '',
  ]
  return lines.join('\n')
}

/** A row for each arm; where there is only one, a row for each figure. */
function figureTable(figures: readonly Figure[], arms: ScenarioResult['arms']): string {
  const [only, ...others] = arms
  if (only !== undefined && others.length === 0) {
    return textTable(
      ['', only.arm],
      figures.map(figure => [figure.name, formatFigure(only.figures[figure.name], figure)]),
    )
  }
  const headings = ['', ...figures.flatMap(({ name }) => [name, '×'])]
  const rows = arms.map(({ arm, figures: measured, ratios }) => [
    arm,
    ...figures.flatMap(figure => [formatFigure(measured[figure.name], figure), formatRatio(ratios[figure.name])]),
  ])
  return textTable(headings, rows)
}

/** All goals of a run in one table. */
export function reportGoals(results: readonly ScenarioResult[]): string {
  const rows = results.flatMap(({ scenario, goals }) =>
    goals.map(goal => [
      scenario,
      `${goal.figure}: ${relation(goal)}`,
      goal.reached.toFixed(2),
      String(goal.ratio),
      goal.isReached ? 'reached' : 'NOT reached',
    ]),
  )
  return `${textTable(['goals', '', 'measured', 'goal', ''], rows)}\n`
}

export function formatFigure(value: number | undefined, { unit }: Pick<Figure, 'unit'>): string {
  if (value === undefined) return '–'
  if (unit === 'ms') return formatMs(value)
  if (unit === 'µs') return formatMs(value / 1_000)
  const number = value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
  return unit === '' ? number : `${number}${unit === '/s' ? '' : ' '}${unit}`
}

function formatGoal(goal: GoalResult): string {
  return `${goal.isReached ? 'reached' : 'NOT reached'}: ${goal.figure}, ${relation(goal)}: ${goal.reached.toFixed(2)} (goal ${goal.ratio})`
}

function relation({ of, to }: GoalResult): string {
  return to === null ? of : `${of} ÷ ${to}`
}

export function formatRatio(ratio: Ratio | undefined): string {
  return ratio === undefined ? '–' : `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`
}
