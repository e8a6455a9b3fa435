/** Of failures in a row the first and then ever fewer are to be logged: an outage fills no log. */
export function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0
}
