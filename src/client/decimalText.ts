/*
 * Formats the wire's decimal strings and integers for people. They are shortened as text, because a float would lose very small and very
 * large values.
 */

/** Shown in place of an unknown value. */
export const UNKNOWN = '–'

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉'
/** Fewest zeros after the point that a subscript counts. */
export const MANY_ZEROS = 4
const PRICE_DIGITS = 4
const AMOUNT_DIGITS = 3
const UNITS = ['', 'K', 'M', 'B', 'T', 'Q'] as const

interface Parts {
  readonly negative: boolean
  /** Without leading zeros; empty for values below 1. */
  readonly whole: string
  readonly fraction: string
}

function partsOf(decimal: string): Parts | null {
  const match = /^(-?)0*(\d*)(?:\.(\d*))?$/.exec(decimal)
  if (match === null || decimal === '' || decimal === '-') return null
  const [, sign = '', whole = '', fraction = ''] = match
  return { negative: sign === '-', whole, fraction }
}

/** Adds the minus sign of a negative value, unless all its digits are zero. */
export const withSign = (negative: boolean, text: string) => (negative && /[1-9]/.test(text) ? `−${text}` : text)

/**
 * A price with four significant digits, or as many as asked for: `0.0₅1230`, `1.234`, `12,345.00`, `12.3M`. Trailing zeros stay, so
 * that a column is even and does not move when the last digit becomes zero.
 */
export function formatPrice(decimal: string | null, count = PRICE_DIGITS): string {
  const parts = decimal === null ? null : partsOf(decimal)
  if (parts === null) return UNKNOWN
  const { negative, whole, fraction } = parts
  if (whole.length > 6) return formatCompact(decimal, count - 1)
  if (whole !== '') return withSign(negative, formatWhole(whole, fraction, Math.max(2, count - whole.length)))
  return withSign(negative, formatFraction(fraction, count))
}

/** The digits after the point of a value below 1, rounded to `count` significant ones. */
function formatFraction(fraction: string, count: number): string {
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  if (zeros === fraction.length) return '0'
  const digits = roundDigits(fraction.slice(zeros), count)
  // Rounding 0.09999… up removes one leading zero.
  const left = zeros - digits.carried
  if (left < 0) return `1.${'0'.repeat(count - 1)}`
  const kept = digits.text.slice(0, count)
  return left < MANY_ZEROS ? `0.${'0'.repeat(left)}${kept}` : `0.0${subscript(left)}${kept}`
}

/**
 * An amount with three significant digits, or as many as asked for, and a unit: `0`, `7.50`, `12.3K`, `1.20M`. Whole numbers below a
 * thousand stay as they are. Below 1 it has no trailing zeros: `0.12`, `0.0₅123`.
 */
export function formatCompact(value: string | number | null, count = AMOUNT_DIGITS): string {
  const decimal = typeof value === 'number' ? plain(value) : value
  const parts = decimal === null ? null : partsOf(decimal)
  if (parts === null) return UNKNOWN
  const { negative, whole, fraction } = parts
  if (whole === '') return withSign(negative, trimmed(formatFraction(fraction, count)))
  const digits = roundDigits(whole + fraction, count)
  const length = whole.length + digits.carried
  const unit = Math.min(Math.floor((length - 1) / 3), UNITS.length - 1)
  const inFront = length - unit * 3
  const kept = digits.text.slice(0, count).padEnd(inFront, '0')
  const rest = unit === 0 && /^0*$/.test(fraction) ? '' : kept.slice(inFront)
  const text = `${groupDigits(kept.slice(0, inFront))}${rest === '' ? '' : `.${rest}`}`
  return withSign(negative, `${text}${UNITS[unit]}`)
}

/** A raw amount of a currency with `decimals` decimals as a plain decimal string of whole units: `fromUnits('1500', 3)` is `1.5`. */
export function fromUnits(raw: string | bigint, decimals: number): string {
  const text = String(raw)
  if (text.startsWith('-')) return `-${fromUnits(text.slice(1), decimals)}`
  const digits = text.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * The reverse, for amounts that people write: `toUnits('1.5', 3)` is `1500`. Digits beyond `decimals` are cut.
 *
 * @throws `TypeError` for text that is not a plain decimal
 */
export function toUnits(decimal: string, decimals: number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal) ?? []
  if (whole === '') throw new TypeError(`not a plain decimal: ${decimal}`)
  const digits = (whole + fraction.slice(0, decimals).padEnd(decimals, '0')).replace(/^0+(?=\d)/, '')
  return digits === '0' ? digits : sign + digits
}

function formatWhole(whole: string, fraction: string, places: number): string {
  const digits = roundDigits(whole + fraction, whole.length + places)
  const length = whole.length + digits.carried
  const shown = Math.max(2, places - digits.carried)
  const rest = digits.text.slice(length, length + shown)
  return `${groupDigits(digits.text.slice(0, length))}.${rest.padEnd(shown, '0')}`
}

/** The first `count` digits, rounded half up. `carried` is 1 when rounding added a digit in front (999.9 → 1000). */
function roundDigits(digits: string, count: number): { readonly text: string; readonly carried: 0 | 1 } {
  const kept = digits.slice(0, count).padEnd(count, '0')
  if ((digits[count] ?? '0') < '5') return { text: kept, carried: 0 }
  const up = String(BigInt(kept) + 1n).padStart(count, '0')
  return up.length > count ? { text: up, carried: 1 } : { text: up, carried: 0 }
}

/** Without zeros at the end of a fraction. */
const trimmed = (text: string) => (text === '0' ? text : text.replace(/\.?0+$/, ''))

/** A number in small digits below the line: `₁₂`. */
export function subscript(count: number): string {
  return Array.from(String(count), digit => SUBSCRIPTS[Number(digit)]).join('')
}

/** The digits with a comma between every three, from the right. */
export const groupDigits = (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',')

/** A number as a decimal string without an exponent; `null` when it is not finite. */
export function plain(value: number): string | null {
  if (!Number.isFinite(value)) return null
  const text = String(value)
  if (!text.includes('e')) return text
  if (Math.abs(value) >= 1) return String(BigInt(value))
  const [mantissa = '', exponent] = text.split('e-')
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(Number(exponent) - 1)}${mantissa.replace(/\D/g, '')}`
}
