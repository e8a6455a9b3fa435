/**
 * The smallest value that at least a share of the values do not exceed (nearest rank): always a measured value.
 *
 * @param sorted ascending
 * @param share 0 to 1
 * @throws `RangeError` when there are no values
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return ranked(sorted, Math.max(1, Math.ceil(share * sorted.length)))
}

/** @param rank from 1 on */
function ranked(sorted: ArrayLike<number>, rank: number): number {
  const value = sorted[rank - 1]
  if (value === undefined) throw new RangeError('no values')
  return value
}

/** The middle value, or the mean of the middle two. @throws `RangeError` when there are no values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (quantile(sorted, 0.5) + ranked(sorted, Math.floor(sorted.length / 2) + 1)) / 2
}

/**
 * The 95 % confidence interval of the median, by order statistics, without an assumption about the distribution. Its width falls with
 * the root of the number of values. For fewer than six values it is the least and the greatest, which contain the median less often
 * (three: 75 %).
 *
 * @throws `RangeError` when there are no values
 */
export function medianInterval(values: readonly number[]): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const spread = 1.96 * Math.sqrt(sorted.length)
  const low = Math.max(1, Math.floor((sorted.length - spread) / 2))
  const high = Math.min(sorted.length, Math.ceil(1 + (sorted.length + spread) / 2))
  return { low: ranked(sorted, low), high: ranked(sorted, high) }
}
