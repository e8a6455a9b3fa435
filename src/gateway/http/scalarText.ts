/** Numbers without an exponent, which parameters do not accept: `0.0000001` for `1e-7`. */
const PLAIN = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 100, signDisplay: 'negative' })

/**
 * A value of a client's JSON as the text of a parameter. A list or an object becomes empty brackets, which no parameter accepts: a message
 * of 16 KB can be nested so deeply that writing it out overflows the stack.
 */
export function scalarText(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  if (typeof value === 'object' && value !== null) return '{}'
  return typeof value === 'number' ? PLAIN.format(value) : String(value)
}
