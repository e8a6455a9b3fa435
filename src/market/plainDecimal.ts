/** More digits than any price of a currency needs, few enough to expand an exponent without harm. */
const MOST_DIGITS = 40

/**
 * A JSON number's text as a plain decimal string, digit for digit: `3012.44` stays, `3.01244e3` becomes `3012.44`.
 *
 * @returns `null` for what is not such a number, is negative, or is longer than 40 digits written out
 */
export function plainDecimal(text: string): string | null {
  const match = /^(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', exponent] = match
  if (whole.length + fraction.length + Math.abs(Number(exponent ?? 0)) > MOST_DIGITS) return null
  return exponent === undefined ? text : movePoint(whole, fraction, Number(exponent))
}

function movePoint(whole: string, fraction: string, places: number): string {
  const digits = whole + fraction
  const point = whole.length + places
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length + 1 - point, '0')
  const at = Math.max(point, 1)
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '')
  const rest = padded.slice(at)
  return rest === '' ? integer : `${integer}.${rest}`
}
