/**
 * A value of a client's JSON as the text of a parameter. A list or an object becomes empty brackets, which no parameter accepts: a message
 * of 16 KB can be nested so deeply that writing it out overflows the stack.
 */
export function scalarText(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  return typeof value === 'object' && value !== null ? '{}' : String(value)
}
