/**
 * Whether a state may replace the current one: only if its sequence is larger. An equal one has come in another way before (by a load and
 * by the update of the same commit), and a smaller one is late. An actor that replaces a failed one has no current state: it accepts a
 * state as new as the newest one that subscribers were sent, but no older one.
 */
export function isNewer(offered: number, current: number | null, newestSent: number | null): boolean {
  return (current === null || offered > current) && (newestSent === null || offered >= newestSent)
}

/** Whether a client whose newest sequence is `lastSequence` (`null`: none) needs a snapshot of the current state. */
export function needsSnapshot(current: number, lastSequence: number | null): boolean {
  return lastSequence === null || current > lastSequence
}
