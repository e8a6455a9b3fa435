import { setImmediate as nextTurn } from 'node:timers/promises'

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
