/** More than any price needs; keeps an exponent such as `1e999` from expanding into a huge string. */
const MAX_DIGITS = 40

/**
 * Writes a JSON number's text without an exponent, keeping every digit: `3012.44` stays, `3.01244e3` becomes `3012.44`.
 *
 * @returns `null` for a text that is no JSON number, a negative number, and a number of more than 40 digits
 */
export function plainDecimal(text: string): string | null {
  const match = /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', exponent] = match
  if (whole.length + fraction.length + Math.abs(Number(exponent ?? 0)) > MAX_DIGITS) return null
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length + 1 - point, '0')
  const at = Math.max(point, 1)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const rest = padded.slice(at)
  return rest === '' ? integer : `${integer}.${rest}`
}
