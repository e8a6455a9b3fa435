import type { ArmResult, Figure, Ratio, Result } from './benchmark.ts'
import { judge, type Verdict } from './judge.ts'
import { formatFigure, textTable } from './textTable.ts'

const VERDICTS: Readonly<Record<Verdict, string>> = { better: 'BETTER', worse: 'WORSE', 'no change': 'no change beyond noise' }

/** A row for each arm. */
export function reportArms(result: Result): string {
  const { figures, arms } = result
  const headings = ['', ...figures.flatMap(({ name }) => (arms.length > 1 ? [name, '×'] : [name]))]
  const rows = arms.map(({ arm, figures: measured, ratios }) => [
    arm,
    ...figures.flatMap(figure => {
      const value = formatFigure(measured[figure.name], figure)
      return arms.length > 1 ? [value, formatRatio(ratios[figure.name])] : [value]
    }),
  ])
  const key = arms.length > 1 ? [`× is the ratio to ${arms[0]?.arm}: median over rounds (95 % interval).`] : []
  return page(result, textTable(headings, rows), key)
}

/** A row for each figure of two arms, with a verdict about the second one. */
export function reportChange(result: Result): string {
  const [base, changed] = result.arms
  if (base === undefined || changed === undefined) throw new RangeError('a change needs two arms')
  const rows = result.figures.map(figure => [
    figure.name,
    ...[base, changed].map(({ figures }) => formatFigure(figures[figure.name], figure)),
    formatRatio(changed.ratios[figure.name]),
    formatNoise(result.noise[figure.name]),
    verdictOf(result, changed, figure),
  ])
  const rounds = `${changed.perRound.length} rounds`
  return page(result, textTable([rounds, base.arm, changed.arm, 'ratio (95 %)', 'same code', ''], rows), [])
}

function verdictOf({ noise }: Result, { ratios, perRound }: ArmResult, { name, better }: Figure): string {
  const ratio = ratios[name]
  if (ratio === undefined) return 'not measured'
  return VERDICTS[judge({ ratio, noise: noise[name], rounds: perRound.length, better })]
}

function page({ benchmark, about, arms }: Result, table: string, key: readonly string[]): string {
  const failures = arms.flatMap(({ arm, perRound, failures: of }) =>
    of.length === 0 ? [] : [`FAILED: ${arm}, in ${of.length} of ${perRound.length} rounds: ${of[0]}`],
  )
  return [`${benchmark}: ${about}`, '', table, '', ...key, ...failures, ''].join('\n')
}

function formatRatio(ratio: Ratio | undefined): string {
  return ratio === undefined ? '–' : `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)})`
}

function formatNoise(noise: number | undefined): string {
  return noise === undefined ? '–' : `±${((noise - 1) * 100).toFixed(1)} %`
}
