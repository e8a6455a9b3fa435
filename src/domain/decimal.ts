/**
 * A non-integer number as an integer scaled by 10^60: exact to add, compare and store, wide enough for any ratio of two
 * 128-bit reserves. Prices, USD values and ratios have this form inside the process, and are plain decimal strings outside.
 */
export type Decimal = bigint & { readonly __brand: 'Decimal' }

export const DECIMAL_PLACES = 60
/** More digits than any product of two decimals of 256-bit amounts has. */
const POWERS = Array.from({ length: 300 }, (_, exponent) => 10n ** BigInt(exponent))
export const ONE = powerOfTen(DECIMAL_PLACES) as Decimal
const SIGNIFICANT_DIGITS = 20
const ZERO = 0x30
const FIVE = 0x35
const PLAIN_DECIMAL = /^(\d+)(?:\.(\d*))?$/
const SIGNED_DECIMAL = /^-?\d+(?:\.\d*)?$/
const DIGITS_PER_HEX_DIGIT = Math.log10(16)

/** `numerator / denominator`, rounded half up to 20 significant digits; `null` when the denominator is zero. */
export function ratio(numerator: bigint, denominator: bigint): Decimal | null {
  if (denominator === 0n) return null
  return roundSignificant((numerator * ONE) / denominator)
}

/** The product of two decimals, rounded half up to 20 significant digits. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return roundSignificant((a * b) / ONE)
}

/** A raw integer amount of a currency that has `decimals` decimals: `units(1500n, 3)` is 1.5. Exact up to 60 decimals. */
export function units(raw: bigint, decimals: number): Decimal {
  return (decimals <= DECIMAL_PLACES ? raw * powerOfTen(DECIMAL_PLACES - decimals) : raw / powerOfTen(decimals - DECIMAL_PLACES)) as Decimal
}

export function add(a: Decimal, b: Decimal): Decimal {
  return (a + b) as Decimal
}

export function max(a: Decimal, b: Decimal): Decimal {
  return a > b ? a : b
}

export function min(a: Decimal, b: Decimal): Decimal {
  return a < b ? a : b
}

/**
 * Reads a plain decimal string (`"12.5"`, `"-0.001"`) or what PostgreSQL prints for a `numeric`; digits past the 60th decimal are cut.
 *
 * @throws `TypeError` for anything else, exponents included
 */
export function parseDecimal(text: string): Decimal {
  // Without groups, which would cost more than the rest.
  if (!SIGNED_DECIMAL.test(text)) throw new TypeError(`not a plain decimal: ${text.slice(0, 80)}`)
  const point = text.indexOf('.')
  if (point === -1) return (BigInt(text) * ONE) as Decimal
  const fraction = text.slice(point + 1, point + 1 + DECIMAL_PLACES)
  return (BigInt(text.slice(0, point) + fraction) * powerOfTen(DECIMAL_PLACES - fraction.length)) as Decimal
}

/** The plain decimal string without exponent, trailing zeros or a sign on zero: `"0.0000123"`, `"12"`. */
export function formatDecimal(value: Decimal): string {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0')
  const point = digits.length - DECIMAL_PLACES
  return (negative ? '-' : '') + withPoint(digits, point)
}

/** An amount of WETH or USD: `formatDecimal`, rounded half up to 18 decimals, since a wei has no parts. */
export function formatAmount(value: Decimal): string {
  const unit = powerOfTen(DECIMAL_PLACES - 18)
  const half = value < 0n ? -unit / 2n : unit / 2n
  return formatDecimal((((value + half) / unit) * unit) as Decimal)
}

/** `formatDecimal(units(raw, decimals))` at a fraction of its cost: `formatUnits(1500n, 3)` is `"1.5"`. */
export function formatUnits(raw: bigint, decimals: number): string {
  if (decimals > DECIMAL_PLACES) return formatDecimal(units(raw, decimals))
  const negative = raw < 0n
  const digits = (negative ? -raw : raw).toString().padStart(decimals + 1, '0')
  return (negative ? '-' : '') + withPoint(digits, digits.length - decimals)
}

/** How far `now` is from `before` in percent, to four decimals; `null` when `before` is zero. */
export function percentChange(before: Decimal, now: Decimal): number | null {
  if (before === 0n) return null
  return Number(((now - before) * 1_000_000n) / before) / 10_000
}

/** `part / whole` in percent, to four decimals and at most 100; `null` when `whole` is zero. */
export function percentOf(part: bigint, whole: bigint): number | null {
  const share = shareOf(part, whole)
  return share === null ? null : Math.min(100, share)
}

/** The same for a part that may be more than the whole. */
export function shareOf(part: bigint, whole: bigint): number | null {
  return whole === 0n ? null : Number((part * 1_000_000n) / whole) / 10_000
}

/**
 * The same as `formatDecimal(multiply(parseDecimal(a), parseDecimal(b)))` at a fraction of its cost, for values that are converted with
 * every update: unscaled digits are smaller numbers.
 *
 * @throws `TypeError` when `a` or `b` is no plain decimal
 */
export function multiplyTexts(a: string, b: string): string {
  const first = PLAIN_DECIMAL.exec(a)
  const second = PLAIN_DECIMAL.exec(b)
  // Negative, or no decimal at all.
  if (first === null || second === null) return formatDecimal(multiply(parseDecimal(a), parseDecimal(b)))
  const [, firstWhole = '', firstFraction = ''] = first
  const [, secondWhole = '', secondFraction = ''] = second
  const places = firstFraction.length + secondFraction.length
  // Digits past the 60th are cut before and after the multiplication.
  if (places > DECIMAL_PLACES) return formatDecimal(multiply(parseDecimal(a), parseDecimal(b)))
  const product = (BigInt(firstWhole + firstFraction) * BigInt(secondWhole + secondFraction)).toString()
  const digits = roundDigits(product).padStart(places + 1, '0')
  return withPoint(digits, digits.length - places)
}

/** Rounds half up to the significant digits, with zeros for the rest. */
function roundDigits(digits: string): string {
  const excess = digits.length - SIGNIFICANT_DIGITS
  if (excess <= 0) return digits
  const kept = digits.slice(0, SIGNIFICANT_DIGITS)
  const rounded = digits.charCodeAt(SIGNIFICANT_DIGITS) >= FIVE ? (BigInt(kept) + 1n).toString() : kept
  return rounded + '0'.repeat(excess)
}

/** Without the fraction's trailing zeros. */
function withPoint(digits: string, point: number): string {
  let end = digits.length
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end--
  const whole = digits.slice(0, point)
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`
}

function roundSignificant(value: bigint): Decimal {
  const excess = digitCount(value < 0n ? -value : value) - SIGNIFICANT_DIGITS
  if (excess <= 0) return value as Decimal
  const unit = powerOfTen(excess)
  const half = value < 0n ? -unit / 2n : unit / 2n
  return (((value + half) / unit) * unit) as Decimal
}

/** 10 to a non-negative integer power. Powers below 300 are computed once. */
export function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent)
}

/** The number of decimal digits. The hexadecimal digits, which cost less to count, bound it to within two. */
function digitCount(value: bigint): number {
  let count = Math.ceil(value.toString(16).length * DIGITS_PER_HEX_DIGIT)
  while (count > 1 && value < powerOfTen(count - 1)) count--
  return count
}
