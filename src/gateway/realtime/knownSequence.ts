/** Sequences are milliseconds since the epoch. Clocks of machines differ by less. */
const MAX_AHEAD_MS = 60_000

/**
 * The newest sequence that a client says it has. It may be above the token's current one: another process has sent a newer state, which
 * will arrive here, too.
 *
 * @returns `null`: none, or one from the future, which this service has not given
 */
export function knownSequence(sequence: number | null | undefined, epochMs: number): number | null {
  return sequence !== null && sequence !== undefined && sequence <= epochMs + MAX_AHEAD_MS ? sequence : null
}
