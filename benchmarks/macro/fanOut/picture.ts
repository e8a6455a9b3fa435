import { formatFigure } from './report.ts'
import type { ArmResult, Figure, ScenarioResult } from './scenario.ts'

const WIDTH = 860
const LABEL = 230
const BAR = 420
const LINE = 20

/** The first figure of each scenario as bars, as an SVG page that follows the reader's light or dark theme. */
export function drawScenarios(results: readonly ScenarioResult[]): string {
  const blocks: string[] = []
  let y = 24
  for (const { scenario, figures, arms } of results) {
    const figure = figures[0]
    if (figure === undefined) continue
    blocks.push(`<text class="title" x="0" y="${y}">${escape(scenario)}</text>`)
    blocks.push(`<text class="about" x="0" y="${y + 17}">${escape(`${figure.name}, ${figure.better} is better`)}</text>`)
    y += 36
    const most = Math.max(...arms.map(arm => arm.figures[figure.name] ?? 0))
    for (const arm of arms) {
      blocks.push(bar(arm, figure, most, y))
      y += LINE
    }
    y += 30
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="Fan-out, Tokenwire beside others">`,
    '<style>text{font:13px system-ui,sans-serif;fill:#1b1f24}.title{font-weight:600}.about,.value{fill:#57606a}rect{fill:#8c959f}.own{fill:#0969da}',
    '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.about,.value{fill:#8b949e}rect{fill:#6e7681}.own{fill:#4493f8}}</style>',
    ...blocks,
    '</svg>\n',
  ].join('\n')
}

function bar({ arm, figures }: ArmResult, figure: Figure, most: number, y: number): string {
  const value = figures[figure.name]
  const length = most > 0 ? ((value ?? 0) / most) * BAR : 0
  return [
    `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escape(arm)}</text>`,
    `<rect class="${arm.startsWith('tokenwire') ? 'own' : ''}" x="${LABEL}" y="${y + 3}" width="${length.toFixed(1)}" height="${LINE - 6}" rx="2"/>`,
    `<text class="value" x="${LABEL + length + 8}" y="${y + 13}">${escape(formatFigure(value, figure))}</text>`,
  ].join('')
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
