import { formatCompact, formatPrice, plain } from '#client/decimalText.ts'

/** What the chart shows: the price of one token, or of its whole supply. */
export type Measure = 'price' | 'marketCap'

/** Most digits of a label: neighbours that differ only in later digits have the same label. */
const MAX_DIGITS = 10

export function formatMeasure(value: number, measure: Measure, digits?: number): string {
  // Rounds off a float error, which would show as further digits.
  const decimal = plain(Number(value.toPrecision(12)))
  return measure === 'price' ? formatPrice(decimal, digits) : formatCompact(decimal, digits)
}

/** Labels of a price axis, with as many digits as make them distinct. Values below zero, where no price is, have an empty label. */
export function axisLabels(values: readonly number[], measure: Measure): string[] {
  // The values are sums of float steps, so that the one at zero is not exactly zero.
  const steps = values.slice(1).map((value, index) => Math.abs(value - (values[index] ?? 0)))
  const almostZero = steps.length === 0 ? 0 : Math.min(...steps) / 2
  const label = (value: number, digits?: number) => {
    if (Math.abs(value) < almostZero) return '0'
    return value < 0 ? '' : formatMeasure(value, measure, digits)
  }
  const isDistinct = (labels: readonly string[]) => {
    const shown = labels.filter(text => text !== '')
    return new Set(shown).size === shown.length
  }
  let labels = values.map(value => label(value))
  for (let digits = 4; digits <= MAX_DIGITS && !isDistinct(labels); digits++) labels = values.map(value => label(value, digits))
  return labels
}
