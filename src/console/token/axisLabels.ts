import { formatCompact, formatPrice, MANY_ZEROS, plain, subscript } from '#client/decimalText.ts'

/** What the chart shows: the price of one token, or of its whole supply. */
export type Measure = 'price' | 'marketCap'

/** Most significant digits of a label. */
const MAX_DIGITS = 10
/** Largest error of a sum of steps, as a share of a step. */
const FLOAT_ERROR = 1e-9
/** The largest of values with the same decimals is at most this many times the smallest. */
const EVEN_RANGE = 1_000
/** From here on a label is shortened with a unit. */
const MILLION = 1_000_000

export function formatMeasure(value: number, measure: Measure, digits?: number): string {
  // Rounds off a float error, which would show as further digits.
  const decimal = plain(Number(value.toPrecision(12)))
  return measure === 'price' ? formatPrice(decimal, digits) : formatCompact(decimal, digits)
}

/**
 * Labels of an axis. Where the values allow it, all have the same decimals and count the same zeros, like `0.0₄15`, `0.0₄10` and `0.0₄05`.
 * Values below zero, where no price is, have an empty label.
 */
export function axisLabels(values: readonly number[], measure: Measure): string[] {
  const steps = values.slice(1).map((value, index) => Math.abs(value - (values[index] ?? 0)))
  const step = steps.length === 0 ? 0 : Math.min(...steps)
  // The values are sums of float steps, so that the one at zero is not exactly zero.
  const shown = values.map(value => (Math.abs(value) < step * FLOAT_ERROR ? 0 : value))
  const label = evenLabel(shown, step, measure) ?? singleLabel(shown, measure)
  return shown.map(value => (value < 0 ? '' : value === 0 ? '0' : label(value)))
}

type Label = (value: number) => string

/** `null`: the values differ too much, or are too large, for labels with the same decimals. */
function evenLabel(values: readonly number[], step: number, measure: Measure): Label | null {
  const largest = Math.max(...values)
  const smallest = Math.min(...values.filter(value => value > 0))
  if (!(step > 0) || largest >= (measure === 'price' ? MILLION : 1) || largest > smallest * EVEN_RANGE) return null
  const magnitude = Math.floor(Math.log10(largest))
  const isExact = (decimals: number) => values.every(value => Math.abs(Number(value.toFixed(decimals)) - value) < step / 100)
  let decimals = magnitude < 0 ? -magnitude : 2
  while (decimals + magnitude < MAX_DIGITS && !isExact(decimals)) decimals++
  if (!isExact(decimals)) return null
  const zeros = -magnitude - 1
  return value => {
    const text = value.toFixed(decimals)
    return zeros < MANY_ZEROS ? text : `0.0${subscript(zeros)}${text.slice(2 + zeros)}`
  }
}

/** Each value in its own form, with as many digits as make the labels distinct. */
function singleLabel(values: readonly number[], measure: Measure): Label {
  const positive = values.filter(value => value > 0)
  const isDistinct = (digits?: number) => new Set(positive.map(value => formatMeasure(value, measure, digits))).size === positive.length
  let digits: number | undefined
  while ((digits ?? 0) < MAX_DIGITS && !isDistinct(digits)) digits = (digits ?? 3) + 1
  return value => formatMeasure(value, measure, digits)
}
