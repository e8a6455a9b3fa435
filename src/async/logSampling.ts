/** Whether the n-th event of a kind is logged: the first, second, fourth, eighth …, so that an outage does not fill the log. */
export function isLogged(count: number): boolean {
  return (count & (count - 1)) === 0
}
