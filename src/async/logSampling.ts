/** Whether the n-th failure in a row is logged: the first, second, fourth, eighth …, so that an outage does not fill the log. */
export function isLogged(failuresInARow: number): boolean {
  return (failuresInARow & (failuresInARow - 1)) === 0
}
