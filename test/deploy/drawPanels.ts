/** A panel of the dashboard with what its queries answer. */
export interface DrawnPanel {
  readonly title: string
  /** As Grafana names it, such as `bytes`. */
  readonly unit: string
  readonly series: readonly { readonly name: string; readonly points: readonly (readonly [seconds: number, value: number])[] }[]
}

const [WIDTH, HEIGHT, COLUMNS] = [420, 190, 3]
const PLOT = { left: 64, top: 26, right: 8, bottom: 58 }
const MAX_NAMES = 4
const COLOURS = ['#3274d9', '#e0752d', '#37872d', '#c4162a', '#8f3bb8', '#0a9396', '#b8860b', '#555555']

/** The panels as Grafana would show them, in one SVG. */
export function drawPanels(panels: readonly DrawnPanel[]): string {
  const rows = Math.ceil(panels.length / COLUMNS)
  const drawn = panels.map((panel, index) => {
    const [x, y] = [(index % COLUMNS) * WIDTH, Math.floor(index / COLUMNS) * HEIGHT]
    return `<g transform="translate(${x} ${y})">${drawPanel(panel)}</g>`
  })
  const size = `width="${WIDTH * COLUMNS}" height="${HEIGHT * rows}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="10">${drawn.join('\n')}</svg>\n`
}

function drawPanel({ title, unit, series }: DrawnPanel): string {
  const points = series.flatMap(one => one.points).filter(([, value]) => Number.isFinite(value))
  const heading = `<rect x="3" y="3" width="${WIDTH - 6}" height="${HEIGHT - 6}" fill="#fff" stroke="#ccc"/><text x="10" y="17" font-weight="bold">${escapeXml(title)}</text>`
  if (points.length === 0) return `${heading}<text x="${WIDTH / 2}" y="${HEIGHT / 2}" text-anchor="middle" fill="#888">no data</text>`
  const times = points.map(([time]) => time)
  const values = points.map(([, value]) => value)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const low = Math.min(0, ...values)
  const high = Math.max(...values) === low ? low + 1 : Math.max(...values)
  // Block numbers and sizes that hardly change are seen better without the zero.
  const floor = Math.min(...values) > 0.8 * high ? Math.min(...values) - (high - Math.min(...values) || 1) * 0.1 : low
  const xOf = (time: number) => PLOT.left + ((time - from) / (to - from || 1)) * (WIDTH - PLOT.left - PLOT.right)
  const yOf = (value: number) => HEIGHT - PLOT.bottom - ((value - floor) / (high - floor)) * (HEIGHT - PLOT.top - PLOT.bottom)
  const axis = [floor, (floor + high) / 2, high].map(
    value =>
      `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${yOf(value)}" y2="${yOf(value)}" stroke="#eee"/><text x="${PLOT.left - 4}" y="${yOf(value) + 3}" text-anchor="end">${shown(value, unit)}</text>`,
  )
  const lines = series.map(({ points: own }, index) => {
    const path = own
      .filter(([, value]) => Number.isFinite(value))
      .map(([time, value]) => `${xOf(time).toFixed(1)},${yOf(value).toFixed(1)}`)
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${COLOURS[index % COLOURS.length]}" stroke-width="1.5"/>`
  })
  const names = series.slice(0, MAX_NAMES).map(({ name }, index) => {
    const y = HEIGHT - PLOT.bottom + 14 + index * 10
    return `<text x="10" y="${y}" font-size="8" fill="${COLOURS[index % COLOURS.length]}">${escapeXml(name.slice(0, 90))}</text>`
  })
  return [heading, ...axis, ...lines, ...names].join('')
}

function shown(value: number, unit: string): string {
  if (unit === 'percentunit') return `${(value * 100).toFixed(0)} %`
  const kind = unit === 'bytes' ? ' B' : unit === 's' ? ' s' : ''
  const text = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(value)
  return text + kind
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
