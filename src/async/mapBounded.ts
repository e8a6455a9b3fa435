/**
 * Maps in order with at most `atOnce` under way. After a failure nothing more is begun.
 *
 * @throws the first failure, once nothing is under way any more
 */
export async function mapBounded<T, R>(items: readonly T[], atOnce: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  let failed = false
  const work = async () => {
    for (let index = next++; index < items.length && !failed; index = next++) {
      try {
        results[index] = await map(items[index] as T)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, work))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return results
}
