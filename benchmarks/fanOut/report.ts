import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { Figure, Ratio, ScenarioResult } from './scenario.ts'

/** A scenario's result for a terminal. */
export function reportScenario({ scenario, about, base, figures, arms, goals }: ScenarioResult): string {
  const headings = ['', ...figures.flatMap(({ name }) => [name, '×'])]
  const rows = arms.map(({ arm, figures: measured, ratios }) => [
    arm,
    ...figures.flatMap(figure => [formatFigure(measured[figure.name], figure), formatRatio(ratios[figure.name])]),
  ])
  const lines = goals.map(
    ({ figure, of, to, ratio, reached, isReached }) =>
      `${isReached ? 'reached' : 'NOT reached'}: ${figure}, ${of} ÷ ${to}: ${reached.toFixed(2)} (goal ${ratio})`,
  )
  return [`${scenario}: ${about}`, '', textTable(headings, rows), '', `× is the ratio to ${base}: median over rounds (95 % interval).`, ...lines, ''].join('\n')
}

export function formatFigure(value: number | undefined, { unit }: Figure): string {
  if (value === undefined) return '–'
  if (unit === 'ms') return formatMs(value)
  if (unit === 'µs') return formatMs(value / 1_000)
  const number = value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
  return unit === '' ? number : `${number}${unit === '/s' ? '' : ' '}${unit}`
}

function formatRatio(ratio: Ratio | undefined): string {
  return ratio === undefined ? '–' : `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`
}
