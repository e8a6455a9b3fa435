import { setImmediate as nextTurn } from 'node:timers/promises'

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

/** About a millisecond of work. */
const ITEMS_PER_TURN = 100

/** Shared by all callers: each turn of the event loop continues only one of them, with a hundred items. */
let line: Promise<void> = Promise.resolve()

/** As `flatMap`, over several turns of the event loop, so that other requests are served in between. */
export async function flatMapInTurns<T, R>(items: readonly T[], map: (item: T) => readonly R[]): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += ITEMS_PER_TURN) {
    if (at > 0) await (line = line.then(() => nextTurn()))
    for (const item of items.slice(at, at + ITEMS_PER_TURN)) results.push(...map(item))
  }
  return results
}
