import type { Figure } from './benchmark.ts'

/**
 * A table for a terminal: the first column to the left, the others to the right.
 *
 * @param rows as wide as the headings
 */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) => Math.max(heading.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    widths
      .map((width, column) => (column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width)))
      .join('  ')
      .trimEnd()
  return [line(headings), widths.map(width => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** A duration with three significant digits and the unit that fits: `812 ns`, `14.1 µs`, `2.50 ms`. */
export function formatMs(ms: number): string {
  if (ms < 0.001) return `${(ms * 1e6).toPrecision(3)} ns`
  if (ms < 1) return `${(ms * 1e3).toPrecision(3)} µs`
  return `${ms < 1_000 ? ms.toPrecision(3) : ms.toFixed(0)} ms`
}

/** A whole number with separators. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en')
}

/** A figure's value in its unit; a dash without one. */
export function formatFigure(value: number | undefined, { unit }: Pick<Figure, 'unit'>): string {
  if (value === undefined) return '–'
  if (unit === 'ms') return formatMs(value)
  if (unit === 'µs') return formatMs(value / 1_000)
  const number = value >= 1_000 ? formatCount(value) : value.toPrecision(3)
  return unit === '' ? number : `${number}${unit === '/s' ? '' : ' '}${unit}`
}
