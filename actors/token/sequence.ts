/**
 * Whether a state may replace another: only a strictly larger sequence does. An equal one was received already in another way (a load and
 * the update of the same commit); a smaller one is an older state that arrives late.
 * An actor that replaces a failed one does not hold the newest state that subscribers have received: it accepts a state of the same
 * sequence, but no older one.
 */
export function isNewer(offered: number, current: number | null, newestSent: number | null): boolean {
  return (current === null || offered > current) && (newestSent === null || offered >= newestSent)
}

/** Whether a client whose newest sequence is `lastSequence` (`null`: none) needs a snapshot of the current state. */
export function needsSnapshot(current: number, lastSequence: number | null): boolean {
  return lastSequence === null || current > lastSequence
}
