/**
 * The known name that takes the fewest changes of letters to get from the given one, regardless of case. `null`: none is known, or each
 * takes more than `most` changes.
 */
export function nearestName(given: string, known: readonly string[], most = Infinity): string | null {
  let nearest: { readonly name: string; readonly changes: number } | null = null
  for (const name of known) {
    if (Math.abs(name.length - given.length) > most) continue
    const changes = changesBetween(given.toLowerCase().slice(0, MAX_COMPARED), name.toLowerCase())
    if (nearest === null || changes < nearest.changes) nearest = { name, changes }
  }
  return nearest !== null && nearest.changes <= most ? nearest.name : null
}

/** Longer names differ from every known one by as much. */
const MAX_COMPARED = 40

/** Levenshtein's distance: the letters to add, remove or replace. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 0; at < to.length; at++) {
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === to[at] ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}
