/**
 * The smallest value that at least a share of all values do not pass (nearest rank): always one that was measured.
 *
 * @param sorted ascending
 * @param share 0 to 1
 * @throws `RangeError` when there are no values
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** The middle one; of an even number the mean of the middle two. @throws `RangeError` when there are no values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (quantile(sorted, 0.5) + (sorted[Math.floor(sorted.length / 2)] ?? Number.NaN)) / 2
}
